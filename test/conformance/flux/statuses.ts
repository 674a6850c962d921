import type { Condition, KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { describeRef, refOf } from '../../../lib/foundations/kinds/object.ts'
import { fluxKinds } from './watching.ts'
import type { World } from './world.ts'

type Fields = Readonly<Record<string, unknown>>

/** The status of every Flux object of the hub, as recordings show them: without what differs from run to run. */
export const statusesOf = async (world: World): Promise<Record<string, unknown>> => {
  const statuses: Record<string, unknown> = {}
  for (const kind of fluxKinds) {
    const { items } = await world.hub.list<KubernetesObject>(kind)
    for (const item of items) statuses[describeRef(refOf(item))] = shown(item)
  }
  return JSON.parse(JSON.stringify(statuses))
}

const shown = (object: KubernetesObject): Fields => {
  const { kind } = object
  const {
    conditions = [],
    artifact,
    includedArtifacts,
    inventory,
    history,
    observedGeneration,
    dataSources, // ours: flux-operator keeps them in its memory
    ...rest
  } = (object.status ?? {}) as Status
  const { generation, finalizers, deletionTimestamp } = object.metadata
  const relative = (observed: number | undefined) =>
    observed === generation ? 'generation' : observed === generation! - 1 && observed > 0 ? 'generation-1' : observed
  return {
    ...rest,
    ...(conditions.length > 0 && {
      conditions: conditions.map(({ type, status, reason, message, observedGeneration: observed }) => ({
        type,
        status,
        reason,
        message,
        // Of a suspended object, source-controller moves Ready to the new generation and kustomize-controller does not; the
        // loop does as the latter.
        ...(observed !== generation &&
          !isMoved(object, type) && { observedGeneration: relative(observed) ?? 'absent' }),
      })),
    }),
    ...(artifact && { artifact: shownArtifact(artifact) }),
    ...(includedArtifacts && {
      includedArtifacts: includedArtifacts.map(({ revision, path }) => ({ revision, path })),
    }),
    ...(inventory && { inventory: inventory.entries.map(({ id, v }) => `${id}@${v}`).sort() }),
    ...(history && kind === 'HelmRelease' && { history: history.map(shownSnapshot) }),
    ...(history &&
      kind !== 'HelmRelease' && {
        history: history.map(({ digest, lastReconciledStatus, totalReconciliations, metadata }) => ({
          digest,
          lastReconciledStatus,
          totalReconciliations,
          ...(metadata !== undefined && { metadata }),
        })),
      }),
    ...(observedGeneration !== undefined && { observedGeneration: relative(observedGeneration) }),
    _finalizers: finalizers ?? [],
    ...(deletionTimestamp && { _deleting: true }),
  }
}

/** Times and digest of a version of a release differ from run to run: recordings say which of them were there. */
const varying = ['deleted', 'digest', 'firstDeployed', 'lastDeployed']

const shownSnapshot = (snapshot: object): Fields => {
  const { testHooks, ...fields } = snapshot as Fields & { readonly testHooks?: Readonly<Record<string, Fields>> }
  const kept = Object.fromEntries(Object.entries(fields).filter(([field]) => !varying.includes(field)))
  const tests = testHooks && Object.fromEntries(Object.entries(testHooks).map(([name, hook]) => [name, timeless(hook)]))
  return { ...kept, ...(tests && { testHooks: tests }), _has: varying.filter(field => field in fields) }
}

const timeless = (hook: Fields): Fields =>
  Object.fromEntries(
    Object.entries(hook).map(([field, value]) => [field, field.startsWith('last') ? '${TIME}' : value]),
  )

interface Status {
  readonly conditions?: readonly Condition[]
  readonly artifact?: Artifact
  readonly includedArtifacts?: readonly Artifact[]
  readonly inventory?: { readonly entries: readonly { readonly id: string; readonly v: string }[] }
  readonly history?: readonly {
    readonly digest: string
    readonly lastReconciledStatus: string
    readonly totalReconciliations: number
    readonly metadata?: unknown
  }[]
  readonly observedGeneration?: number
  readonly dataSources?: readonly string[]
}

interface Artifact {
  readonly revision: string
  readonly path: string
  readonly url: string
  readonly metadata?: unknown
}

const shownArtifact = ({ revision, path, url, metadata }: Artifact) => ({
  revision,
  path,
  url,
  ...(metadata !== undefined && { metadata }),
})

const isMoved = ({ kind, spec }: KubernetesObject, type: string): boolean =>
  type === 'Ready' &&
  kind !== 'Kustomization' &&
  kind !== 'HelmRelease' &&
  (spec as { readonly suspend?: boolean } | undefined)?.suspend === true
