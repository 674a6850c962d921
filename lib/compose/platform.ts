import type { Helm } from '../engines/kustomize/generators/helm.ts'
import type { PluginRunner } from '../engines/kustomize/plugins/exec/plugin-runner.ts'
import type { AccountIdentityPorts } from '../platform/cloud/account-identities.ts'
import type { Connections } from '../platform/http/connections.ts'
import type { ArtifactStore } from '../platform/ports/artifacts.ts'
import type { Clock } from '../platform/ports/clock.ts'
import type { Keys } from '../platform/ports/keys.ts'
import type { Leases } from '../platform/ports/leases.ts'
import type { Log } from '../platform/ports/log.ts'
import type { ObjectStore } from '../platform/ports/objects.ts'
import type { OffThread } from '../platform/ports/off-thread.ts'
import type { Queue, Stage } from '../platform/ports/queue.ts'
import type { Random } from '../platform/ports/random.ts'
import type { Schedule } from '../platform/ports/schedule.ts'
import type { SecretSource } from '../platform/ports/secret-source.ts'
import type { Visits } from '../platform/ports/visits.ts'
import type { DecryptionPorts } from '../reconcile/kustomization/decryption/decryption.ts'
import type { FinishedPass } from '../reconcile/runtime/loop.ts'
import type { FinishedVisit } from '../reconcile/runtime/visits.ts'
import type { CloudIdentities } from '../signals/notify/senders/cloud.ts'
import type { CloudLogin } from '../sources/oci/cloud-login.ts'
import type { Settings } from './settings/settings.ts'

/** What a platform brings. */
export interface Ports {
  readonly objects: ObjectStore
  readonly schedule: Schedule
  readonly leases: Leases
  readonly visits: Visits
  readonly artifacts: ArtifactStore
  readonly queue: Queue
  readonly keys: Keys
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Where data of Secrets are that only refer to them. */
  readonly secretSource?: SecretSource
  /** Why nothing can be stored for now, in one sentence; undefined while it can. Absent where it always can. */
  readonly unready?: () => string | undefined
  /** Told of each pass, for metrics that the platform keeps. */
  readonly observe?: (pass: FinishedPass) => void
  readonly observeVisit?: (visit: FinishedVisit) => void
  /** How many messages wait in each stage, where the platform does not show it by itself. */
  readonly waiting?: () => Readonly<Partial<Record<Stage, number>>>
  /** Where work goes that would hold up everything else on this thread; absent where a process does one thing at a time. */
  readonly offThread?: OffThread
  /** Runs kustomize plugins, of the groups that the settings allow. */
  readonly plugins?: PluginRunner
  /** Downloads and renders charts of kustomizations; absent where `helmCharts` are refused. */
  readonly helm?: Helm
  /** How key services of clouds are reached to decrypt, and as whom; keys in Secrets alone decrypt without. */
  readonly cloudKeys?: DecryptionPorts
  /** The ways to servers outside, those that users name among them; whoever opened them closes them. */
  readonly connections: Connections
  /** How registries of clouds are logged in to; absent where this process has no identity in any cloud. */
  readonly login?: CloudLogin
  /** How ServiceAccounts come to identities in clouds; absent where no cloud is reached as one. */
  readonly accounts?: AccountIdentityPorts
  /** Whom clouds see when this process tells them of events, or asks them for clusters. */
  readonly identities?: Pick<CloudIdentities, 'aws' | 'azure' | 'gcp' | 'environment'>
}

export interface CoreSettings extends Settings {
  /** Where artifacts are served, as written into `status.artifact.url`; without a slash at the end. */
  readonly artifactAddress: string
  /** How old the knowledge of roles and kinds that other processes wrote may be; Infinity where there are none. */
  readonly rolesMaxAgeMs?: number
  /** Build in a stage of its own when a source has news: where one process's builds serve others. */
  readonly buildAhead?: boolean
}
