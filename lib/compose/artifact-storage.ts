import type { StorageSettings } from '../reconcile/source-artifact/artifact-storage.ts'
import type { Settings } from './settings/settings.ts'

export type StorageOptions = Pick<
  Settings,
  'artifactRetentionTtlMs' | 'artifactRetentionRecords' | 'artifactDigestAlgo'
> & {
  readonly artifactAddress: string
  readonly artifactCheckMs?: number
}

/** How artifacts are stored. */
export const storageOf = (settings: StorageOptions): StorageSettings => ({
  artifactAddress: settings.artifactAddress,
  digestAlgorithm: settings.artifactDigestAlgo,
  retention: { records: settings.artifactRetentionRecords, ttlMs: settings.artifactRetentionTtlMs },
  ...(settings.artifactCheckMs !== undefined && { checkEveryMs: settings.artifactCheckMs }),
})
