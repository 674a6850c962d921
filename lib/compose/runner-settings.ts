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
  // Only the hub could keep manifests for an undo, and write the annotation of a unit that goes back by itself.
  ...{ undoLimit: 0, keepsApplied: true },
  // The addresses are those of the runner's machine, its metadata service among them.
  ...{ allowAddresses, forbidAddresses: [] },
  // No signature covers what a build fetches.
  ...(isSigned && { noRemoteBases: true }),
})
