import type { CoreSettings } from './platform.ts'
import { defaultSettings } from './settings/settings.ts'

interface OwnSettings {
  /** It demands signatures of sources. */
  readonly isSigned: boolean
  /** Addresses that units may name, though they are loopback or link-local ones, as IP addresses and CIDR ranges. */
  readonly allowAddresses: readonly string[]
}

/** The settings of a runner: those of its hub, but for what is the runner's own to decide, whatever the hub sends. */
export const runnerSettings = (
  ofHub: Partial<CoreSettings>,
  { isSigned, allowAddresses }: OwnSettings,
): CoreSettings => ({
  ...{ ...defaultSettings, ...ofHub, artifactAddress: 'http://runner' },
  // For comparisons, also where nothing is kept for an undo.
  ...{ keepsApplied: true },
  // The addresses are those of the runner's machine, its metadata service among them.
  ...{ allowAddresses, forbidAddresses: [] },
  // No signature covers what a build fetches, and what is undone is an older revision.
  ...(isSigned && { noRemoteBases: true, undoLimit: 0 }),
})
