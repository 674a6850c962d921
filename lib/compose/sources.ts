import { bucket } from '../foundations/kinds/bucket.ts'
import { externalArtifact } from '../foundations/kinds/external-artifact.ts'
import { gitRepository } from '../foundations/kinds/git-repository.ts'
import { helmChart } from '../foundations/kinds/helm-chart.ts'
import { helmRepository } from '../foundations/kinds/helm-repository.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { ociRepository } from '../foundations/kinds/oci-repository.ts'
import { serveArtifact } from '../hub/apiserver/serve-artifact.ts'
import { createReferences, type ReferenceReader } from '../hub/references/references.ts'
import type { Connections } from '../platform/http/connections.ts'
import { guardedFetch } from '../platform/http/guarded-fetch.ts'
import type { ArtifactStore } from '../platform/ports/artifacts.ts'
import type { Clock } from '../platform/ports/clock.ts'
import type { OffThread } from '../platform/ports/off-thread.ts'
import type { OpenPgp } from '../platform/ports/open-pgp.ts'
import type { Queue } from '../platform/ports/queue.ts'
import type { Schedule } from '../platform/ports/schedule.ts'
import { bucketReconciler } from '../reconcile/bucket/bucket.ts'
import { gitRepositoryReconciler } from '../reconcile/git-repository/git-repository.ts'
import { helmChartReconciler } from '../reconcile/helm-chart/helm-chart.ts'
import { entityTags } from '../reconcile/helm-repository/entity-tags.ts'
import { helmRepositoryReconciler } from '../reconcile/helm-repository/helm-repository.ts'
import { ociRepositoryReconciler } from '../reconcile/oci-repository/oci-repository.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { readArtifact, refetchThrough } from '../reconcile/source-artifact/read-artifact.ts'
import { gitClient } from '../sources/git/git-client.ts'
import { sshTransport } from '../sources/git/ssh/ssh-transport.ts'
import { indexCache } from '../sources/helm/index-cache.ts'
import { ociClient } from '../sources/oci/oci-client.ts'
import { type StorageOptions, storageOf } from './artifact-storage.ts'
import { chartLimitsOf } from './chart-limits.ts'
import { type CloudAccessPorts, composeCloudAccess, noLogin } from './cloud-access.ts'
import type { EdgeRoute } from './edge.ts'
import type { Settings } from './settings/settings.ts'
import { composeSignatures } from './signatures.ts'
import type { SigstoreSettings } from './sigstore-root.ts'

interface SourcePorts extends CloudAccessPorts {
  readonly hub: ReferenceReader
  readonly artifacts: ArtifactStore
  readonly clock: Clock
  readonly schedule: Schedule
  readonly queue: Queue
  readonly openPgp: Pick<OpenPgp, 'verify'>
  readonly offThread?: OffThread | undefined
  readonly connections: Connections
  readonly fetchSecret: () => Promise<Uint8Array>
}

type SourceSettings = Pick<
  Settings,
  | 'requeueDependencyMs'
  | 'objectLevelWorkloadIdentity'
  | 'tokenIssuer'
  | 'helmIndexMaxSize'
  | 'helmChartMaxSize'
  | 'helmChartFileMaxSize'
  | 'helmCacheMaxSize'
  | 'helmCacheTtlMs'
  | 'helmCachePurgeIntervalMs'
> &
  SigstoreSettings &
  StorageOptions

export interface Sources {
  readonly reconcilers: readonly Reconciler<KubernetesObject>[]
  /** Serves the artifacts of each kind at source-controller's paths. */
  readonly artifactRoutes: readonly EdgeRoute[]
}

const cacheOf = ({ helmCacheMaxSize, helmCacheTtlMs, helmCachePurgeIntervalMs }: SourceSettings) => ({
  ...{ maxSize: helmCacheMaxSize, ttlMs: helmCacheTtlMs, purgeIntervalMs: helmCachePurgeIntervalMs },
})

/** Everything that fetches: a reconciler per kind of source, and access to the results. */
export const composeSources = (given: SourcePorts, settings: SourceSettings): Sources => {
  const references = createReferences(given.hub)
  const ports = { ...given, refetch: refetchThrough({ ...given, references }) }
  const { clock, login = noLogin, connections } = ports
  const { requeueDependencyMs } = settings
  const storage = storageOf(settings)
  const git = gitClient(connections, { ssh: sshTransport })
  const oci = ociClient(clock, connections)
  const signatures = composeSignatures(ports, settings)
  const indexes = indexCache(cacheOf(settings), clock)
  const helm = {
    ...ports,
    references,
    oci,
    login,
    indexes,
    signatures,
    entityTags: entityTags(),
    limits: chartLimitsOf(settings),
  }
  const cloud = { fetch: guardedFetch(connections), clock }
  const cloudAccess = composeCloudAccess(ports, settings)
  const shared = { ...ports, references, cloudAccess }
  const kinds = [gitRepository, ociRepository, bucket, helmRepository, helmChart, externalArtifact]
  return {
    reconcilers: [
      gitRepositoryReconciler({ ...shared, git }, { ...storage, requeueDependencyMs }),
      ociRepositoryReconciler({ ...shared, oci, signatures }, storage),
      bucketReconciler({ ...shared, cloud }, storage),
      helmRepositoryReconciler(helm, storage),
      helmChartReconciler(helm, { ...storage, requeueDependencyMs }),
    ],
    artifactRoutes: kinds.map(kind => ({
      prefix: `/${kind.kind.toLowerCase()}`,
      // A damaged artifact is not served until its source has fetched it again.
      handle: serveArtifact({ ...ports, read: artifact => readArtifact(ports, artifact).catch(() => undefined) }, kind),
    })),
  }
}
