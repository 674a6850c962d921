import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from 'js-yaml'
import { applyAll } from '../../lib/apply/apply-all.ts'
import { ApplyError } from '../../lib/apply/apply-error.ts'
import { describeChange, describeChanges } from '../../lib/apply/change-set.ts'
import { describePruneFailures, prune } from '../../lib/apply/prune.ts'
import type { ClusterClient } from '../../lib/cluster/client.ts'
import type { InventoryEntry } from '../../lib/kinds/kustomization.ts'
import { groupOf, type KubernetesObject, type ObjectRef } from '../../lib/kinds/object.ts'
import { inventoryDifference, inventoryId, inventoryUnion } from '../../lib/rules/inventory.ts'
import { parseYaml } from '../../lib/yaml/parse.ts'
import type { Cluster } from '../bed/cluster.ts'
import { corpusFile } from '../conformance/corpus.ts'

export const readScenario = (id: string): Scenario =>
  load(readFileSync(corpusFile(`flux/kustomization/${id}/scenario.yaml`), 'utf8')) as Scenario

/** A recorded scenario, as far as it concerns the apply engine. */
export interface Scenario {
  readonly git: { readonly app: { readonly revisions: readonly { readonly files: Record<string, FileContent> }[] } }
  readonly steps: readonly Step[]
}
type FileContent = string | { prefix: string; repeat: string; times: number; suffix: string }
export interface Step {
  // biome-ignore lint/suspicious/noExplicitAny: operations have a shape each
  readonly do: readonly Record<string, any>[]
  readonly expect: {
    readonly objects: Record<string, 'unchanged' | { readonly conditions?: readonly Condition[] }>
    readonly events?: readonly { readonly object: string; readonly type: string; readonly message: string }[]
    readonly live?: Record<string, Live | null>
  }
}
interface Condition {
  readonly type: string
  readonly status: string
  readonly message: string | { readonly oneOf: readonly string[] }
}
export interface Live {
  readonly identity: 'new' | 'same' | 'recreated'
  readonly written?: boolean
  readonly content: 'unchanged' | Record<string, unknown>
}
/** The cluster of a replay, and what the Kustomizations there remember. */
export interface World {
  readonly bed: Cluster
  readonly target: ClusterClient
  revision: number
  readonly kustomizations: Map<string, { object: KubernetesObject; inventory: readonly InventoryEntry[] }>
  readonly live: Map<string, KubernetesObject>
}

export const newWorld = (bed: Cluster, target: ClusterClient): World => ({
  bed,
  target,
  revision: 1,
  kustomizations: new Map(),
  live: new Map(),
})

/** Ten times slower than time: a busy machine takes longer to establish definitions than the engine has patience. */
const clock = { now: () => Date.now() / 10, sleep: (ms: number) => sleep(ms) }

/** Operations on Flux objects are kept in mind, all others are done to the cluster. */
export const perform = async (world: World, namespace: string, operation: Step['do'][number]): Promise<void> => {
  const { bed, target } = world
  const { apply, kubectlApply, patch, delete: deletion, push, sleep: seconds } = operation
  const inNamespace = (object: KubernetesObject): KubernetesObject => ({
    ...object,
    metadata: {
      ...object.metadata,
      ...(!/Policy|ClusterRole/.test(object.kind) && { namespace: object.metadata.namespace ?? namespace }),
    },
  })
  for (const object of (apply?.objects ?? []).map(inNamespace))
    if (object.kind === 'Kustomization')
      world.kustomizations.set(object.metadata.name, {
        object,
        inventory: world.kustomizations.get(object.metadata.name)?.inventory ?? [],
      })
    else if (object.kind !== 'GitRepository')
      await target.apply(object, { fieldManager: apply.fieldManager ?? 'recorder', force: true })
  for (const object of (kubectlApply?.objects ?? []).map(inNamespace))
    if (kubectlApply.args) await target.apply(object, { fieldManager: 'kubectl', force: true })
    else await bed.apply(JSON.stringify(object))
  if (patch?.ref.startsWith('ks/')) {
    const kustomization = world.kustomizations.get(patch.ref.slice(3))!
    const spec = { ...(kustomization.object.spec as object), ...patch.patch.spec }
    kustomization.object = { ...kustomization.object, spec }
  } else if (patch) {
    const { apiVersion, ref } = parseRef(patch.ref, namespace)
    const fieldManager = patch.fieldManager ?? 'recorder'
    await target.patch(apiVersion, ref, { type: 'merge', patch: patch.patch }, { fieldManager })
  }
  if (deletion) {
    const { apiVersion, ref } = parseRef(deletion.ref, namespace)
    await target.delete(apiVersion, ref, { propagation: 'Background' })
  }
  if (push) world.revision = push.rev
  if (seconds) await sleep(seconds * 1000)
}

/** `[apiVersion:]Kind/[namespace/]name` */
const parseRef = (text: string, namespace: string): { apiVersion: string; ref: ObjectRef } => {
  const [, apiVersion = 'v1', kind = '', rest = ''] = /^(?:(.+):)?(\w+)\/(.+)$/.exec(text) ?? []
  const [name, own] = rest.split('/').reverse()
  const isClusterScoped = /Policy|ClusterRole/.test(kind)
  return {
    apiVersion,
    ref: { group: groupOf(apiVersion), kind, namespace: isClusterScoped ? '' : (own ?? namespace), name: name! },
  }
}

export const isRun = (step: Step): boolean =>
  step.do.some(
    ({ reconcile, patch, apply }) =>
      reconcile ||
      patch?.ref.startsWith('ks/') ||
      apply?.objects.some(({ kind }: KubernetesObject) => kind === 'Kustomization'),
  )

/** One run of every Kustomization: apply, then prune. */
export const runAll = async (
  world: World,
  { git }: Scenario,
): Promise<{ told: readonly string[]; failure: string }> => {
  const told: string[] = []
  for (const kustomization of world.kustomizations.values()) {
    const { metadata, spec } = kustomization.object as KubernetesObject & {
      spec: { targetNamespace?: string; path?: string; prune?: boolean }
    }
    const owner = { group: 'kustomize.toolkit.fluxcd.io', namespace: metadata.namespace ?? '', name: metadata.name }
    const folder = (spec.path ?? '').replace(/^\.?\/*/, '').replace(/([^/])\/*$/, '$1/')
    const { files } = git.app.revisions[world.revision - 1]!
    const objects = Object.entries(files)
      .filter(([path]) => path.startsWith(folder) && /\.ya?ml$/.test(path))
      .flatMap(([, content]) => parseYaml(textOf(content), { schema: 'kyaml' }) as unknown as KubernetesObject[])
      .map(object => ({
        ...object,
        metadata: { ...object.metadata, ...(spec.targetNamespace && { namespace: spec.targetNamespace }) },
      }))
    try {
      const { changes } = await applyAll(world.target, objects, {
        fieldManager: 'kustomize-controller',
        owner,
        recorded: new Set(kustomization.inventory.map(({ id }) => id)),
        clock,
      })
      const applied = changes.map(({ ref, apiVersion }) => ({ id: inventoryId(ref), v: apiVersion.split('/').at(-1)! }))
      const done = describeChanges(changes)
      if (done) told.push(done)
      const stale = spec.prune ? inventoryDifference(kustomization.inventory, applied) : []
      const pruned = await prune(world.target, stale, { owner })
      kustomization.inventory = inventoryUnion(
        applied,
        pruned.failures.map(({ entry }) => entry),
      )
      if (pruned.failures.length > 0) return { told, failure: describePruneFailures(pruned.failures) }
      if (pruned.changes.length > 0) told.push(pruned.changes.map(describeChange).join('\n'))
    } catch (error) {
      if (!(error instanceof ApplyError)) throw error
      return { told, failure: error.message }
    }
  }
  return { told, failure: '' }
}

const textOf = (content: FileContent): string =>
  typeof content === 'string' ? content : content.prefix + content.repeat.repeat(content.times) + content.suffix

/** The events that tell of changes. */
export const toldBy = ({ expect }: Step): readonly string[] =>
  (expect.events ?? [])
    .filter(
      ({ object, type, message }) =>
        object.startsWith('Kustomization/') &&
        type === 'Normal' &&
        /(created|configured|deleted|skipped)$/.test(message),
    )
    .map(({ message }) => message)

/** What Ready=False says: one of several texts, of which ours holds all. */
export const failuresOf = ({ expect }: Step): readonly string[] =>
  Object.entries(expect.objects)
    .filter(([key]) => key.startsWith('Kustomization/'))
    .flatMap(([, object]) => (object === 'unchanged' ? [] : (object.conditions ?? [])))
    .filter(({ type, status }) => type === 'Ready' && status === 'False')
    .flatMap(({ message }) => (typeof message === 'string' ? [message] : message.oneOf))
    .map(message => message.trim())

/** Fails unless the live object is as recorded; then it is what the next step is compared with. */
export const compareLive = async (world: World, key: string, expected: Live | null, message: string): Promise<void> => {
  const [, apiVersion = '', kind = '', namespace = '', name = ''] =
    /^hub (.+)\/(\w+)\/([^/]*)\/([^/]+)$/.exec(key) ?? []
  const found = await world.target
    .get(apiVersion, { group: groupOf(apiVersion), kind, namespace, name })
    .catch(error => {
      if (error.code === 'noMatch') return undefined
      throw error
    })
  const before = world.live.get(key)
  if (expected === null) assert.equal(found, undefined, message)
  else {
    assert.ok(found, message)
    const identity = !before ? 'new' : before.metadata.uid === found.metadata.uid ? 'same' : 'recreated'
    assert.equal(identity, expected.identity, message)
    if (expected.written !== undefined)
      assert.equal(before?.metadata.resourceVersion !== found.metadata.resourceVersion, expected.written, message)
    const content = expected.content === 'unchanged' ? contentOf(before!) : withoutStatusManagers(expected.content)
    assert.deepEqual(withPlaceholders(contentOf(found), content), content, message)
  }
  if (found) world.live.set(key, found)
  else world.live.delete(key)
}

/** When controllers write a status is not ours to say. */
const withoutStatusManagers = (content: Record<string, unknown>) => ({
  ...content,
  managers: (content.managers as string[]).filter(manager => !manager.endsWith('/status')),
})

/** The actual value, with the recording's placeholders (`${TIME}`, `${UID}`, `${IP}`...) where it has them. */
const withPlaceholders = (actual: unknown, expected: unknown): unknown => {
  if (typeof expected === 'string' && /^\$\{[A-Z0-9]+(:.*)?\}$/.test(expected)) return expected
  if (Array.isArray(actual) && Array.isArray(expected))
    return actual.map((item, index) => withPlaceholders(item, expected[index]))
  if (typeof actual !== 'object' || actual === null || typeof expected !== 'object' || expected === null) return actual
  return Object.fromEntries(
    Object.entries(actual).map(([key, value]) => [
      key,
      withPlaceholders(value, (expected as Record<string, unknown>)[key]),
    ]),
  )
}

const contentOf = ({ status, spec, ...object }: KubernetesObject): Record<string, unknown> => {
  const {
    managedFields = [],
    uid,
    resourceVersion,
    creationTimestamp,
    generation,
    ownerReferences,
    ...metadata
  } = object.metadata
  const managers = managedFields
    .filter(({ subresource }) => !subresource)
    .map(({ manager, operation }) => `${manager}/${operation}`)
  const isDefinition = object.kind === 'CustomResourceDefinition'
  return {
    ...object,
    ...(spec !== undefined && !isDefinition && { spec }),
    metadata,
    managers: [...new Set(managers)].sort(),
  }
}
