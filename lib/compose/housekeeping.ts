import { eksDirectory } from '../clusters/client/eks-directory.ts'
import type { ManagedHub } from '../hub/store/create-hub.ts'
import { guardedFetch } from '../platform/http/guarded-fetch.ts'
import { type DiscoveryPorts, discoverClusters } from '../reconcile/cluster/discover-clusters.ts'
import { discoverEksClusters } from '../reconcile/cluster/discover-eks.ts'
import { collectKept } from '../reconcile/kept-builds/collect-kept.ts'
import { keepLimitsOf } from '../reconcile/kept-builds/keep-limits.ts'
import { collectBuilds } from '../reconcile/kustomization/build/stored-builds.ts'
import { collectReplaced } from '../reconcile/source-artifact/collect-replaced.ts'
import type { Ports } from './platform.ts'
import type { Settings } from './settings/settings.ts'

type RetentionSettings = Pick<
  Settings,
  'artifactRetentionRecords' | 'artifactRetentionTtlMs' | 'undoLimit' | 'undoTtlMs'
>

const buildsKeptMs = 24 * 60 * 60_000

type SweepPorts = Pick<Ports, 'artifacts' | 'objects' | 'clock' | 'log' | 'connections' | 'identities'>

const eksAt = ({ clock, connections, identities }: Pick<SweepPorts, 'clock' | 'connections' | 'identities'>) => {
  const { aws: identity, environment } = identities ?? {}
  return identity && environment && eksDirectory({ identity, environment, fetch: guardedFetch(connections), clock })
}

/** Deletes objects without owners, replaced artifacts and manifests, and builds that were not used for a day; discovers Clusters if discovery is on. */
export const sweep = async (
  hub: Pick<ManagedHub, 'sweep' | 'get'> & DiscoveryPorts['hub'],
  { artifacts, objects, clock, log, connections, identities }: SweepPorts,
  { artifactRetentionRecords: records, artifactRetentionTtlMs: ttlMs, undoLimit, undoTtlMs }: RetentionSettings,
): Promise<void> => {
  await Promise.all([
    hub.sweep(),
    discoverClusters({ hub, log }),
    discoverEksClusters({ hub, log, eks: eksAt({ clock, connections, identities }) }),
    collectBuilds(artifacts, clock.now() - buildsKeptMs),
    collectKept({ artifacts, objects }, keepLimitsOf({ undoLimit, undoTtlMs }), clock.now()),
    collectReplaced({ hub, artifacts, clock }, { records, ttlMs }),
  ])
}
