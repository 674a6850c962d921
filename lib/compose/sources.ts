import { serveArtifact } from '../apiserver/serve-artifact.ts'
import { CloudError } from '../cloud/cloud-error.ts'
import type { Hub } from '../hub/hub.ts'
import { gitRepository } from '../kinds/git-repository.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import { ociRepository } from '../kinds/oci-repository.ts'
import type { ArtifactStore } from '../ports/artifacts.ts'
import type { Clock } from '../ports/clock.ts'
import { gitRepositoryReconciler } from '../reconcile/git-repository/git-repository.ts'
import { ociRepositoryReconciler } from '../reconcile/oci-repository/oci-repository.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { type GitClient, gitClient } from '../source/git/git-client.ts'
import type { CloudLogin } from '../source/oci/cloud-login.ts'
import { ociClient } from '../source/oci/oci-client.ts'
import type { EdgeRoute } from './edge.ts'

interface SourcePorts {
  readonly hub: Pick<Hub, 'get'>
  readonly artifacts: ArtifactStore
  readonly clock: Clock
  /** Absent = one of their own. */
  readonly git?: GitClient
  /** How registries of clouds are logged in to; absent where this process has no identity in any cloud. */
  readonly login?: CloudLogin
}

interface SourceSettings {
  readonly artifactAddress: string
  readonly requeueDependencyMs: number
}

export interface Sources {
  readonly reconcilers: readonly Reconciler<KubernetesObject>[]
  /** Serve the artifacts of each kind at the paths that source-controller has for them. */
  readonly artifactRoutes: readonly EdgeRoute[]
  /** Lets go of connections. */
  close(): Promise<void>
}

/** As source-controller keeps them by default. */
const retention = { records: 2, ttlMs: 60_000 }

/** Everything that fetches: a reconciler for each kind of source, and the way to what they have fetched. */
export const composeSources = (ports: SourcePorts, settings: SourceSettings): Sources => {
  const storage = { artifactAddress: settings.artifactAddress, retention }
  const oci = ociClient(ports.clock)
  const { login = noLogin, git = gitClient() } = ports
  const kinds = [gitRepository, ociRepository]
  return {
    reconcilers: [
      gitRepositoryReconciler({ ...ports, git }, { ...storage, requeueDependencyMs: settings.requeueDependencyMs }),
      ociRepositoryReconciler({ ...ports, oci, login }, storage),
    ] as unknown as readonly Reconciler<KubernetesObject>[],
    artifactRoutes: kinds.map(kind => ({ prefix: `/${kind.kind.toLowerCase()}`, handle: serveArtifact(ports, kind) })),
    close: oci.close,
  }
}

const services = { aws: 'AWS', azure: 'Azure', gcp: 'GCP' } as const

const noLogin: CloudLogin = async provider => {
  throw new CloudError(services[provider], 'this hub has no identity there')
}
