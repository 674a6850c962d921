/** One pair of a build and a live state, made by chance: applying changes exactly what the plan said, or the plan is stale. */
import assert from 'node:assert/strict'
import { applyAll } from '../../lib/clusters/apply/apply-all.ts'
import { ApplyError } from '../../lib/clusters/apply/apply-error.ts'
import { planDigest } from '../../lib/clusters/apply/describe-planned.ts'
import { type Disclosure, fieldDifferences } from '../../lib/clusters/apply/field-diff.ts'
import { type PlannedChanges, planChanges } from '../../lib/clusters/apply/planned-changes.ts'
import { prune } from '../../lib/clusters/apply/prune.ts'
import type { ClusterClient } from '../../lib/clusters/client/client.ts'
import { ClusterError } from '../../lib/clusters/client/client.ts'
import type { InventoryEntry } from '../../lib/foundations/kinds/applied.ts'
import { type KubernetesObject, refKey, refOf } from '../../lib/foundations/kinds/object.ts'
import { inventoryDifference, inventoryEntry } from '../../lib/foundations/rules/inventory.ts'
import { type SeededRandom, seededRandom } from '../e2e/seeded-random.ts'
import { configMap, interfere, service, widget } from './random-objects.ts'

const owner = { group: 'kustomize.toolkit.fluxcd.io', namespace: 'flux-system', name: 'app' }
const fieldManager = 'kustomize-controller'
const clock = {
  now: Date.now,
  monotonic: () => performance.now() / 10,
  sleep: (ms: number) => new Promise<void>(done => setTimeout(done, ms)),
}
const disclosure: Disclosure = { isHidden: () => false, masked: text => text, fieldManager }

/** How the stories ended. */
export type StoryEnd = 'applied' | 'stale' | 'refused' | 'nothing'

type Build = readonly KubernetesObject[]

/** Tells one story on a cluster that serves Widgets, with objects of its own, which it takes away. */
export const planStory = async (target: ClusterClient, seed: number): Promise<StoryEnd> => {
  const random = seededRandom(seed)
  const first = buildOf(seed, random)
  const options = { owner, fieldManager, clock }
  const inventory = first.map(inventoryEntry)
  let second: Build = []
  try {
    await applyAll(target, first, { ...options, recorded: new Set() })
    for (const object of first) if (random.below(3) === 0) await disturb(target, object, random)
    second = changed(first, seed, random)
    for (const object of second) if (random.below(5) === 0) await interfere(target, object, random)
    const planning = { ...options, inventory, prune: random.below(4) > 0, force: random.below(2) === 1 }
    const planned = await planChanges(target, second, planning)
    const everything = [...first, ...second]
    const isDisturbed = random.below(4) === 0
    if (isDisturbed) await disturb(target, random.pick(everything), random)
    const again = await planChanges(target, second, planning)
    if (digestOf(again) !== digestOf(planned)) {
      assert.ok(isDisturbed, 'a plan is the same until somebody changes what it would change')
      return 'stale'
    }
    return await applyPlanned(target, second, planned, { planning, everything })
  } finally {
    for (const object of [...first, ...second])
      await target.delete(object.apiVersion, refOf(object), { propagation: 'Background' }).catch(() => undefined)
  }
}

const digestOf = ({ changes }: PlannedChanges) => planDigest({ subject: [], manifests: '' }, changes, disclosure)

interface Applying {
  readonly planning: Parameters<typeof planChanges>[2]
  readonly everything: Build
}

const applyPlanned = async (
  target: ClusterClient,
  build: Build,
  planned: PlannedChanges,
  { planning, everything }: Applying,
): Promise<StoryEnd> => {
  const before = await states(target, everything)
  const recorded = new Set(planning.inventory.map(({ id }) => id))
  try {
    await applyAll(target, build, { ...planning, recorded })
  } catch (error) {
    if (!(error instanceof ApplyError)) throw error
    assert.deepEqual(
      error.failures.map(({ message }) => message).sort(),
      planned.failures.map(({ message }) => message).sort(),
      'an apply fails with what the plan says',
    )
    assert.deepEqual(actionsOf(before, await states(target, everything)), new Map(), 'and changes nothing')
    return 'refused'
  }
  assert.deepEqual(planned.failures, [], 'what the plan says that the cluster refuses, it refuses')
  const stale: readonly InventoryEntry[] = inventoryDifference(planning.inventory, build.map(inventoryEntry))
  if (planning.prune) await prune(target, stale, { owner })
  const after = await states(target, everything)
  const said = new Map(planned.changes.map(({ ref, action }) => [refKey(ref), action]))
  // Fields of which only the owner changes are no change of the object.
  for (const { ref, action, states } of planned.changes)
    if (action === 'configured' && (!states || [...fieldDifferences(states.before, states.after)].length === 0))
      said.delete(refKey(ref))
  assert.deepEqual(actionsOf(before, after), said)
  for (const { ref, action, states } of planned.changes) {
    if (action !== 'configured' || !states) continue
    assert.deepEqual(fieldsOf(before.get(refKey(ref))!, after.get(refKey(ref))!), fieldsOf(states.before, states.after))
  }
  return planned.changes.length === 0 ? 'nothing' : 'applied'
}

const fieldsOf = (before: KubernetesObject, after: KubernetesObject) =>
  [...fieldDifferences(before, after)].map(({ path, from, to }) => [path, from, to]).sort()

const states = async (target: ClusterClient, objects: Build): Promise<ReadonlyMap<string, KubernetesObject>> => {
  const found = new Map<string, KubernetesObject>()
  for (const object of objects) {
    const live = await target.get(object.apiVersion, refOf(object)).catch((error: unknown) => {
      if (error instanceof ClusterError && error.code === 'noMatch') return undefined
      throw error
    })
    if (live && !live.metadata.deletionTimestamp) found.set(refKey(refOf(object)), live)
  }
  return found
}

/** What has become of each object, in the words of a plan. */
const actionsOf = (
  before: ReadonlyMap<string, KubernetesObject>,
  after: ReadonlyMap<string, KubernetesObject>,
): ReadonlyMap<string, string> => {
  const actions = new Map<string, string>()
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(key), after.get(key)]
    if (!was) actions.set(key, 'created')
    else if (!is) actions.set(key, 'deleted')
    else if (was.metadata.uid !== is.metadata.uid) actions.set(key, 'recreated')
    else if ([...fieldDifferences(was, is)].length > 0) actions.set(key, 'configured')
  }
  return actions
}

const secret = (name: string, random: SeededRandom): KubernetesObject => ({
  ...configMap(name, random),
  kind: 'Secret',
  data: { key: Buffer.from(random.pick(['one', 'two'])).toString('base64') },
})

/** Data of an immutable ConfigMap can only be changed by a new one. */
const immutable = (name: string, random: SeededRandom): KubernetesObject => ({
  ...configMap(name, random),
  immutable: true,
})

const makers = [configMap, configMap, secret, service, widget, immutable]

const buildOf = (seed: number, random: SeededRandom): Build =>
  Array.from({ length: 1 + random.below(5) }, (_, at) => random.pick(makers)(`p${seed}-${at}`, random))

/** Some objects as they were, some others, some of them gone, some new ones, and now and then one that the cluster refuses. */
const changed = (build: Build, seed: number, random: SeededRandom): Build => {
  const kept = build.filter(() => random.below(5) > 0)
  const again = kept.map(object => {
    if (random.below(3) === 0) return object
    const make = object.kind === 'ConfigMap' ? (object.immutable ? immutable : configMap) : makerOf(object.kind)
    return make(object.metadata.name, random)
  })
  const added = Array.from({ length: random.below(3) }, (_, at) => random.pick(makers)(`p${seed}-new${at}`, random))
  const inside = random.below(6) === 0 ? [namespace(seed), inNamespace(seed)] : []
  const refused = random.below(12) === 0 ? [{ ...configMap(`p${seed}-bad`, random), data: { 'no such key': 'x' } }] : []
  return [...again, ...added, ...inside, ...refused]
}

const makerOf = (kind: string) => (kind === 'Secret' ? secret : kind === 'Service' ? service : widget)

const namespace = (seed: number): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: `space-${seed}` },
})
const inNamespace = (seed: number): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'inside', namespace: `space-${seed}` },
})

/** Another tool changes or deletes an object. */
const disturb = async (target: ClusterClient, object: KubernetesObject, random: SeededRandom): Promise<void> => {
  if (random.below(4) === 0)
    await target.delete(object.apiVersion, refOf(object), { propagation: 'Background' }).catch(() => undefined)
  else if (object.kind !== 'Namespace') await interfere(target, object, random)
}
