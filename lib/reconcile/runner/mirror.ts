import { artifactOf } from '../../foundations/kinds/artifact.ts'
import { groupOf, type KubernetesObject, type ObjectRef, refKey, refOf } from '../../foundations/kinds/object.ts'
import { sourceGroup } from '../../foundations/kinds/references.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { Copy } from '../../hub/runners/protocol.ts'
import type { ManagedHub } from '../../hub/store/create-hub.ts'
import { StoreError } from '../../platform/ports/objects.ts'
import { enqueueDependents, type NewsPorts } from '../runtime/news.ts'
import type { Addressed } from '../runtime/reconciler.ts'

export interface MirrorPorts extends Omit<NewsPorts, 'hub'> {
  readonly hub: ManagedHub
}

/** A runner's copy of what its units need: its own hub has these objects, and no others. */
export interface Mirror {
  /** Makes the copy the current one. Statuses of own objects stay, except where `isStale` says that only the hub's is known to be right. */
  take(copy: Copy, isStale: (ref: ObjectRef) => boolean): Promise<void>
  /** Whether the runner reconciles an object, rather than only reading it. */
  isOwn(object: KubernetesObject): boolean
}

/** A copy in the runner's own hub, empty at first. `addressed`: the reconcilers, which get messages about what has changed in it. */
export const createMirror = (ports: MirrorPorts, addressed: () => readonly Addressed[]): Mirror => {
  const { hub } = ports
  let own: ReadonlySet<string> = new Set()

  const put = async (object: KubernetesObject, isMine: boolean, isStale = false, user?: string): Promise<void> => {
    const ref = refOf(object)
    let before: KubernetesObject | undefined
    const next = (stored: KubernetesObject | undefined): KubernetesObject => {
      before = stored
      if (!stored || !isMine || isStale || stored.metadata.uid !== object.metadata.uid) return object
      return { ...object, status: stored.status }
    }
    await hub.replica.put(ref, next, user === undefined ? {} : { user })
    if (!isMine && news(before) !== news(object)) await enqueueDependents(ports, addressed(), ref)
  }

  const dropOthers = async (kept: ReadonlySet<string>): Promise<void> => {
    for (const kind of copiedKinds)
      for (const object of (await hub.list<KubernetesObject>(kind)).items) {
        const ref = refOf(object)
        if (kept.has(refKey(ref))) continue
        await hub.replica.drop(ref)
        if (ref.kind === 'ResourceSetInputProvider') await enqueueDependents(ports, addressed(), ref)
      }
  }

  return {
    take: async (given, isStale) => {
      const copy = { ...given, own: given.own.filter(isCopied), others: given.others.filter(isCopied) }
      const mine = copy.own.map(object => refKey(refOf(object)))
      const kept = new Set([...mine, ...copy.others.map(object => refKey(refOf(object)))])
      own = new Set(mine)
      await dropOthers(kept)
      const namespaces = new Set([...copy.others, ...copy.own].flatMap(({ metadata }) => metadata.namespace ?? []))
      for (const name of namespaces) await retried(() => hub.replica.put(namespaceRef(name), bare(name)))
      // What units refer to is there before them.
      for (const object of copy.others) await retried(() => put(object, false))
      for (const object of copy.own) {
        const ref = refOf(object)
        await retried(() => put(object, true, isStale(ref), copy.changedBy?.[refKey(ref)]))
      }
    },
    isOwn: object => own.has(refKey(refOf(object))),
  }
}

/** A hub deletes what is in a namespace that it doesn't have. Of most, the copy has no Namespace. */
const bare =
  (name: string) =>
  (stored: KubernetesObject | undefined): KubernetesObject =>
    stored ?? { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }

const namespaceRef = (name: string): ObjectRef => ({ group: '', kind: 'Namespace', namespace: '', name })

const group = (group: string, ...kinds: readonly string[]) => kinds.map(kind => ({ group, kind }))

/** Kinds of which the runner's hub has copies only. It has Namespaces of its own, which harm nobody. */
const copiedKinds = [
  ...group('', 'Secret', 'ConfigMap'),
  ...group('kustomize.toolkit.fluxcd.io', 'Kustomization'),
  ...group('helm.toolkit.fluxcd.io', 'HelmRelease'),
  ...group('source.toolkit.fluxcd.io', 'GitRepository', 'OCIRepository', 'Bucket', 'HelmChart', 'ExternalArtifact'),
  ...group('fluxcd.controlplane.io', 'ResourceSet', 'ResourceSetInputProvider'),
  ...group('fleet.keelson.dev', 'Cluster', 'Rollout', 'RolloutRun', 'Plan', 'Approval', 'ChangePolicy'),
]

const copied = new Set([...copiedKinds, ...group('', 'Namespace')].map(({ group, kind }) => `${group}/${kind}`))

/** Objects of other kinds are left out: a hub that is taken over could name the place of the runner's own notes in its store. */
const isCopied = ({ apiVersion, kind }: KubernetesObject): boolean => copied.has(`${groupOf(apiVersion)}/${kind}`)

/** What makes units look again: another artifact of a source, another state of a dependency, other inputs of a provider. While a source is fetched they have nothing to do. */
const news = (object: KubernetesObject | undefined): string => {
  const { conditions, lastAppliedRevision, exportedInputs } = (object?.status ?? {}) as Readonly<
    Record<string, unknown>
  >
  const isSource = object && groupOf(object.apiVersion) === sourceGroup
  const artifact = isSource ? artifactOf(object) : undefined
  return JSON.stringify(
    isSource ? [artifact?.digest, artifact?.revision] : [conditions, lastAppliedRevision, exportedInputs],
  )
}

const attempts = 10

/** A pass may write the same object at the same time. */
const retried = async (work: () => Promise<void>): Promise<void> => {
  for (let left = attempts; ; left--) {
    try {
      return await work()
    } catch (error) {
      const isRace = error instanceof StoreError && ['conflict', 'missing', 'exists'].includes(error.code)
      if (!isRace || left === 0) throw error
    }
  }
}

/** Whether two copies came with the same settings. */
export const haveSameSettings = (one: Copy, other: Copy): boolean => isSameJson(one.settings, other.settings)
