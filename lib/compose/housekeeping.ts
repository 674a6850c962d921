import type { ManagedHub } from '../hub/store/create-hub.ts'
import type { ArtifactStore } from '../platform/ports/artifacts.ts'
import type { Clock } from '../platform/ports/clock.ts'
import { type DiscoveryPorts, discoverClusters } from '../reconcile/cluster/discover-clusters.ts'
import { collectBuilds } from '../reconcile/kustomization/build/stored-builds.ts'
import { collectReplaced } from '../reconcile/source-artifact/collect-replaced.ts'
import type { Settings } from './settings/settings.ts'

type RetentionSettings = Pick<Settings, 'artifactRetentionRecords' | 'artifactRetentionTtlMs'>

const buildsKeptMs = 24 * 60 * 60_000

/** Deletes objects without owners, replaced artifacts, and builds that were not used for a day; discovers Clusters if discovery is on. */
export const sweep = async (
  hub: Pick<ManagedHub, 'sweep' | 'get'> & DiscoveryPorts['hub'],
  { artifacts, clock, log }: { readonly artifacts: ArtifactStore; readonly clock: Clock } & Pick<DiscoveryPorts, 'log'>,
  { artifactRetentionRecords: records, artifactRetentionTtlMs: ttlMs }: RetentionSettings,
): Promise<void> => {
  await Promise.all([
    hub.sweep(),
    discoverClusters({ hub, log }),
    collectBuilds(artifacts, clock.now() - buildsKeptMs),
    collectReplaced({ hub, artifacts, clock }, { records, ttlMs }),
  ])
}
