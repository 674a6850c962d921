import type { Helm } from '../engines/kustomize/generators/helm.ts'
import type { PluginRunner } from '../engines/kustomize/plugins/exec/plugin-runner.ts'
import type { AccountIdentityPorts } from '../platform/cloud/account-identities.ts'
import type { Connections } from '../platform/http/connections.ts'
import type { Log } from '../platform/ports/log.ts'
import type { OffThread } from '../platform/ports/off-thread.ts'
import type { PlatformPorts } from '../platform/ports/platform.ts'
import type { Stage } from '../platform/ports/queue.ts'
import type { SecretSource } from '../platform/ports/secret-source.ts'
import type { Meter } from '../platform/ports/usage.ts'
import type { HeldWakeUps, WakeUps } from '../platform/ports/wake-ups.ts'
import type { DecryptionPorts } from '../reconcile/kustomization/decryption/load-decryptor.ts'
import type { FinishedPass } from '../reconcile/runtime/loop.ts'
import type { FinishedVisit } from '../reconcile/runtime/visits.ts'
import type { CloudIdentities } from '../signals/notify/senders/cloud.ts'
import type { CloudLogin } from '../sources/oci/cloud-login.ts'
import type { Settings } from './settings/settings.ts'

/** What a platform provides to the core. */
export interface Ports extends PlatformPorts {
  readonly log: Log
  /** Holds the data of Secrets that only refer to it. */
  readonly secretSource?: SecretSource
  /** Why nothing can be stored now, in one sentence; undefined if it can. Absent where it always can. */
  readonly unready?: () => string | undefined
  /** Called after each pass, for metrics that the platform keeps. */
  readonly observe?: (pass: FinishedPass) => void
  readonly observeVisit?: (visit: FinishedVisit) => void
  /** Called for each call of a webhook, with its result. */
  readonly observeWebhook?: (result: string) => void
  /** What the platform bills for the work of this process. */
  readonly meter?: Meter
  /** The number of waiting messages per stage, if the platform does not publish it itself. */
  readonly waiting?: () => Readonly<Partial<Record<Stage, number>>>
  /** Runs work that would block this thread; absent where a process does one thing at a time. */
  readonly offThread?: OffThread
  /** Runs kustomize plugins of the groups that the settings allow. */
  readonly plugins?: PluginRunner
  /** Downloads and renders charts of kustomizations; absent if `helmCharts` are not allowed. */
  readonly helm?: Helm
  /** The clouds' key services for decryption, and the identities to use there; absent = only keys in Secrets. */
  readonly cloudKeys?: DecryptionPorts
  /** Connections to external servers, including those that users name. Their opener closes them. */
  readonly connections: Connections
  /** Wakes runners where waiting in a request would be billed; absent elsewhere. */
  readonly wakeUps?: WakeUps
  /** Wakes runners that wait in a request, where that costs nothing. */
  readonly heldWakeUps?: HeldWakeUps
  /** Logs in to registries of clouds; absent if this process has no identity in any cloud. */
  readonly login?: CloudLogin
  /** Cloud identities of ServiceAccounts; absent if they have none. */
  readonly accounts?: AccountIdentityPorts
  /** The identities with which this process sends events to clouds, and finds clusters there. */
  readonly identities?: Pick<CloudIdentities, 'aws' | 'azure' | 'gcp' | 'environment'>
}

export interface CoreSettings extends Settings {
  /** Base URL of artifacts in `status.artifact.url`; without a trailing slash. */
  readonly artifactAddress: string
  /** How often dry runs check that an artifact is stored, in milliseconds; each one does if absent. For durable storage that bills requests. */
  readonly artifactCheckMs?: number
  /** Maximum age of cached roles and kinds that other processes write; Infinity if there are no other processes. */
  readonly rolesMaxAgeMs?: number
  /** Builds in a stage of its own when a source has changed, so that one process's builds serve the others. */
  readonly buildAhead?: boolean
}
