import type { ManagedHub } from '../hub/store/create-hub.ts'
import type { ArtifactStore } from '../platform/ports/artifacts.ts'
import type { Clock } from '../platform/ports/clock.ts'
import { collectBuilds } from '../reconcile/kustomization/build/stored-builds.ts'
import { collectReplaced } from '../reconcile/source-artifact/collect-replaced.ts'
import type { Settings } from './settings/settings.ts'

type RetentionSettings = Pick<Settings, 'artifactRetentionRecords' | 'artifactRetentionTtlMs'>

const buildsKeptMs = 24 * 60 * 60_000

/** Deletes objects without owners, replaced artifacts, and builds that were not used for a day. */
export const sweep = async (
  hub: Pick<ManagedHub, 'sweep' | 'get'>,
  { artifacts, clock }: { readonly artifacts: ArtifactStore; readonly clock: Clock },
  { artifactRetentionRecords: records, artifactRetentionTtlMs: ttlMs }: RetentionSettings,
): Promise<void> => {
  await Promise.all([
    hub.sweep(),
    collectBuilds(artifacts, clock.now() - buildsKeptMs),
    collectReplaced({ hub, artifacts, clock }, { records, ttlMs }),
  ])
}
