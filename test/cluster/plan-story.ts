/** One pair of a build and a live state, made by chance: applying changes exactly what the plan said, or the plan is stale. */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { applyAll } from '../../lib/clusters/apply/apply-all.ts'
import { ApplyError, type ApplyFailure } from '../../lib/clusters/apply/apply-error.ts'
import { planDigest } from '../../lib/clusters/apply/describe-planned.ts'
import { type Disclosure, fieldDifferences } from '../../lib/clusters/apply/field-diff.ts'
import { takeoverPatch } from '../../lib/clusters/apply/field-managers.ts'
import { type PlannedChanges, planChanges } from '../../lib/clusters/apply/planned-changes.ts'
import { prune } from '../../lib/clusters/apply/prune.ts'
import type { ClusterClient } from '../../lib/clusters/client/client.ts'
import { ClusterError } from '../../lib/clusters/client/client.ts'
import type { InventoryEntry } from '../../lib/foundations/kinds/applied.ts'
import { isObject } from '../../lib/foundations/kinds/json-object.ts'
import { type KubernetesObject, refKey, refOf } from '../../lib/foundations/kinds/object.ts'
import { inventoryDifference, inventoryEntry } from '../../lib/foundations/rules/inventory.ts'
import { eventually } from '../bed/eventually.ts'
import { type SeededRandom, seededRandom } from '../e2e/seeded-random.ts'
import { configMap, interfere, service, widget } from './random-objects.ts'

const owner = { group: 'kustomize.toolkit.fluxcd.io', namespace: 'flux-system', name: 'app' }
const fieldManager = 'kustomize-controller'
const clock = {
  now: Date.now,
  monotonic: () => performance.now() / 10,
  sleep: (ms: number) => new Promise<void>(done => setTimeout(done, ms)),
}
/** Waits for nobody: what is held up stays so until the story ends. */
const hastyClock = { ...clock, monotonic: () => performance.now() * 10 }
/** Fields of kubectl are taken over. */
const managers = ['tool-x', 'kube-thing', 'kubectl', 'kubectl-edit']
const disclosure: Disclosure = { isHidden: () => false, masked: text => text, fieldManager }

/** How the stories ended. */
export type StoryEnd = 'applied' | 'stale' | 'refused' | 'nothing' | 'held up'

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
    for (const object of second) if (random.below(5) === 0) await interfere(target, object, random, managers)
    const space = second.find(({ kind }) => kind === 'Namespace')
    if (space && random.below(3) === 0) {
      await interfere(target, space, random, managers)
      await beginDeletion(target, space)
    }
    const planning = { ...options, inventory, prune: random.below(4) > 0, force: random.below(2) === 1 }
    const planned = await planChanges(target, second, planning)
    const everything = [...first, ...second]
    const isDisturbed = random.below(4) === 0
    if (isDisturbed) await disturb(target, random.pick(everything), random)
    const again = await planChanges(target, second, planning)
    if (!isSamePlan(again, planned)) {
      assert.ok(isDisturbed, 'a plan is the same until somebody changes what it would change')
      return 'stale'
    }
    return await applyPlanned(target, second, planned, { planning, everything })
  } finally {
    await release(target, second)
    for (const object of [...first, ...second])
      await target.delete(object.apiVersion, refOf(object), { propagation: 'Background' }).catch(() => undefined)
  }
}

/** What the cluster refuses is not in the digest: a change that is refused is not made, whoever approves it. */
const isSamePlan = (one: PlannedChanges, other: PlannedChanges): boolean =>
  digestOf(one) === digestOf(other) && isDeepStrictEqual(reasonsOf(one.failures), reasonsOf(other.failures))

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
  const isHeldUp = [...before.values()].some(({ metadata }) => metadata.deletionTimestamp)
  try {
    const { waitingFor } = await applyAll(target, build, {
      ...planning,
      recorded,
      clock: isHeldUp ? hastyClock : clock,
    })
    assert.equal(waitingFor.length > 0, isHeldUp)
  } catch (error) {
    if (!(error instanceof ApplyError)) throw error
    // As in Flux, an apply takes fields over after it has judged all objects: what is refused then is only refused by the write.
    const foreseen = new Set(reasonsOf(planned.failures))
    for (const reason of reasonsOf(error.failures)) assert.ok(foreseen.has(reason), `not in the plan: ${reason}`)
    if (!error.failures.some(({ written }) => written))
      assert.deepEqual(actionsOf(before, await states(target, everything)), new Map(), 'and changes nothing')
    return 'refused'
  }
  assert.deepEqual(planned.failures, [], 'what the plan says that the cluster refuses, it refuses')
  const stale: readonly InventoryEntry[] = inventoryDifference(planning.inventory, build.map(inventoryEntry))
  if (planning.prune && !isHeldUp) await prune(target, stale, { owner })
  const after = await states(target, everything)
  const made = planned.changes.filter(({ waitsFor }) => !waitsFor?.startsWith('the deletion of '))
  const said = new Map(made.map(({ ref, action }) => [refKey(ref), action]))
  // Fields of which only the owner changes are no change of the object.
  for (const { ref, action, states } of made)
    if (
      action === 'configured' &&
      (!states || fieldsOf(states.before, states.after, before.get(refKey(ref))).length === 0)
    )
      said.delete(refKey(ref))
  assert.deepEqual(actionsOf(before, after), said)
  for (const { ref, action, states } of made) {
    if (action !== 'configured' || !states) continue
    const live = before.get(refKey(ref))!
    assert.deepEqual(fieldsOf(live, after.get(refKey(ref))!), fieldsOf(states.before, states.after, live))
  }
  if (isHeldUp) return 'held up'
  return planned.changes.length === 0 ? 'nothing' : 'applied'
}

const reasonsOf = (failures: readonly ApplyFailure[]): readonly string[] =>
  failures.map(({ message }) => message.replace(/ (dry-run failed \(\w+\)|apply failed): /, ': ')).sort()

/**
 * An API server that removes what a former manager had set also drops the maps and lists that are empty then: a plan has these as the build, and may be
 * older than the manager. `live`: the object as it is taken over.
 */
const fieldsOf = (before: KubernetesObject, after: KubernetesObject, live = before) => {
  const isTakenOver = takeoverPatch(live, fieldManager) !== undefined
  const [was, is] = isTakenOver ? [withoutEmpty(before), withoutEmpty(after)] : [before, after]
  return [...fieldDifferences(was as KubernetesObject, is as KubernetesObject)]
    .map(({ path, from, to }) => [path, from, to])
    .sort()
}

const withoutEmpty = (value: unknown): unknown => {
  if (!isObject(value)) return value
  const kept = Object.entries(value).map(([name, inner]) => [name, withoutEmpty(inner)] as const)
  return Object.fromEntries(kept.filter(([, inner]) => !isEmpty(inner)))
}

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0)

const states = async (target: ClusterClient, objects: Build): Promise<ReadonlyMap<string, KubernetesObject>> => {
  const found = new Map<string, KubernetesObject>()
  for (const object of objects) {
    const live = await target.get(object.apiVersion, refOf(object)).catch((error: unknown) => {
      if (error instanceof ClusterError && error.code === 'noMatch') return undefined
      throw error
    })
    if (live) found.set(refKey(refOf(object)), live)
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
    else if (fieldsOf(was, is).length > 0) actions.set(key, 'configured')
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

/**
 * With something in its spec: where a takeover leaves nothing of a custom resource's spec that the build has empty, an API server makes it null, and then
 * drops or refuses that. No dry run shows it, so plans don't foresee it (docs/plans.md).
 */
const filledWidget = (name: string, random: SeededRandom): KubernetesObject => {
  const made = widget(name, random)
  return { ...made, spec: { defaulted: 'no', ...(made.spec as object) } }
}

const makers = [configMap, configMap, secret, service, filledWidget, immutable]

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

const makerOf = (kind: string) => (kind === 'Secret' ? secret : kind === 'Service' ? service : filledWidget)

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
  if (random.below(4) === 0 && object.kind === 'Namespace') await beginDeletion(target, object)
  else if (random.below(4) === 0)
    await target.delete(object.apiVersion, refOf(object), { propagation: 'Background' }).catch(() => undefined)
  else if (object.kind !== 'Namespace') await interfere(target, object, random, managers)
}

const holder = (namespace: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'holder', namespace, finalizers: ['example.com/held'] },
})

/** Another tool deletes a Namespace, if there is one: its content goes, and it stays until `release`. */
const beginDeletion = async (target: ClusterClient, { apiVersion, metadata }: KubernetesObject): Promise<void> => {
  const ref = { group: '', kind: 'Namespace', namespace: '', name: metadata.name }
  if (!(await target.get(apiVersion, ref))) return
  await target.apply(holder(metadata.name), { fieldManager: 'tool-x', force: true })
  await target.delete(apiVersion, ref, { propagation: 'Background' })
  const inside = { group: '', kind: 'ConfigMap', namespace: metadata.name, name: 'inside' }
  await eventually(async () => assert.equal(await target.get('v1', inside), undefined))
}

const release = async (target: ClusterClient, build: Build): Promise<void> => {
  for (const { kind, metadata } of build) {
    if (kind !== 'Namespace') continue
    const freed = { type: 'merge', patch: { metadata: { finalizers: null } } } as const
    await target.patch('v1', refOf(holder(metadata.name)), freed, { fieldManager: 'tool-x' }).catch(() => undefined)
  }
}
