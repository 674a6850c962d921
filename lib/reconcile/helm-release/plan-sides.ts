import { builtChanges } from '../../clusters/apply/built-changes.ts'
import type { PlannedChange } from '../../clusters/apply/planned-changes.ts'
import { type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import type { ActionDeps } from '../../clusters/helm-release/action.ts'
import { changesOf } from '../../clusters/helm-release/changes.ts'
import { objectsOf } from '../../clusters/helm-release/objects.ts'
import { withOwnership } from '../../clusters/helm-release/ownership.ts'
import { plannedRelease } from '../../clusters/helm-release/planned-release.ts'
import { type Preview, preview } from '../../clusters/helm-release/preview.ts'
import { manifestReader } from '../../engines/helm/release/manifest-text.ts'
import type { HeadPlan, OpenBuilds, SkippedHead } from '../../foundations/fleet/head-plan.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { orAbort } from '../pull-request/restrained-plan.ts'
import type { Context } from './context.ts'
import { releaseNameOf, releaseNamespaceOf, storageNamespaceOf } from './names.ts'
import type { Side } from './release-side.ts'
import { installRequest, upgradeRequest } from './requests.ts'

/** A head that is not planned. `open` says why, in words that readers of the repository may see. */
export const skipped = (open: string): SkippedHead => ({ type: 'skipped', open })

/** All that a build or a rendering here knows is in the repository, so its readers may see the error. */
export const failed = (error: unknown): Extract<HeadPlan, { readonly type: 'failed' }> => {
  const message = errorMessage(error)
  return { type: 'failed', message, open: message }
}

interface PlannedSides {
  readonly builds: OpenBuilds
  readonly changes: readonly PlannedChange[]
  readonly refused: readonly string[]
}

/**
 * What an upgrade, or an installation, to the head would change. If it depends on what the repository does not have (`isBlind`), it is what differs between
 * two renderings that don't know that either: whatever a template did with such a value would else show in a plan.
 */
export const planSides = async (
  { base, head }: { readonly base: Side; readonly head: Side },
  {
    cluster,
    signal,
    context,
    isBlind,
  }: {
    readonly cluster: ClusterClient
    readonly signal: AbortSignal
    readonly context: Context
    readonly isBlind: boolean
  },
): Promise<PlannedSides | HeadPlan> => {
  const { clock, renderings, settings, functions } = context
  const { buildLimits, helm3Defaults } = settings
  const storage = context.storageOf(cluster, storageNamespaceOf(head.release), signal)
  const deps: ActionDeps = { cluster: withoutObjects(cluster), storage, clock, signal, readManifest: manifestReader() }
  const given = { buildLimits, helm3Defaults, functions: await functions(), cache: renderings }
  const rendered = async ({ release, ...wanted }: Side) => {
    const install = installRequest(release, wanted, given)
    const made = await preview(deps, {
      install,
      upgrade: { ...upgradeRequest(release, wanted, given), preserveValues: false },
    })
    return { made, objects: await openObjects(deps, made, release) }
  }
  const after = await rendered(head).catch(orAbort(signal, unlessOfCluster))
  const before = await rendered(base).catch(orAbort(signal, unlessOfCluster))
  if ('type' in after)
    return isBlind && 'type' in before
      ? skipped('it does not render without values that are not in the repository')
      : after
  const builds = { base: 'type' in before ? [] : before.objects, head: after.objects }
  if (isBlind) return { builds, changes: builtChanges(builds), refused: [] }
  const { get, list } = cluster
  const made = { ...after.made, cluster: { ...after.made.cluster, get, list } }
  return { builds, ...plannedRelease(await changesOf({ ...deps, cluster }, made)) }
}

/** Failures of the cluster are not for readers of the repository. */
const unlessOfCluster = (error: unknown) => {
  if (error instanceof ClusterError) throw error
  return failed(error)
}

/** The cluster for the templates of a head: what it serves, and none of its objects. */
const withoutObjects = (cluster: ClusterClient): ClusterClient => ({
  ...cluster,
  get: async () => undefined,
  list: async () => ({ items: [], resourceVersion: '' }),
})

/** The objects of a release, and what else an action writes for it. */
const openObjects = async (
  deps: ActionDeps,
  { release, request, definitions, cluster }: Preview,
  unit: HelmRelease,
): Promise<readonly KubernetesObject[]> => {
  const id = { name: releaseNameOf(unit), namespace: release.namespace ?? releaseNamespaceOf(unit) }
  const objects = await objectsOf({ ...deps, cluster }, release.manifest ?? '', id.namespace)
  const createsNamespace = 'createNamespace' in request && request.createNamespace
  const { namespace: name } = id
  const own = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { name } } }
  return [...(createsNamespace ? [own] : []), ...definitions, ...objects.map(object => withOwnership(object, id))]
}
