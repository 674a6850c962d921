import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import type { Leases } from '../../platform/ports/leases.ts'
import type { ObjectStore } from '../../platform/ports/objects.ts'
import type { OffThread } from '../../platform/ports/off-thread.ts'
import type { OpenPgp } from '../../platform/ports/open-pgp.ts'
import type { ClusterPorts } from '../applied-objects/reach-cluster.ts'
import type { PlanPorts } from '../approvals/plan-book.ts'
import type { Legacies } from '../runtime/legacies.ts'
import type { UnfinishedRuns } from '../runtime/unfinished-runs.ts'
import type { UnitMemory } from '../runtime/unit-memory.ts'
import type { Refetch } from '../source-artifact/read-artifact.ts'
import type { Download } from '../source-artifact/unpacked.ts'
import type { CachedBuild } from './build/build-cache.ts'
import type { BuildPorts } from './build/build-manifests.ts'
import type { SourceFiles } from './build/source-files.ts'
import type { Decryption } from './decryption/decryption.ts'
import type { DecryptionPorts } from './decryption/load-decryptor.ts'
import type { OngoingCheck } from './health/ongoing-check.ts'
import type { KustomizationSettings } from './settings.ts'
import type { BuildStore } from './undo/build-store.ts'
import type { UndoPorts } from './undo/undo-ports.ts'

export interface KustomizationPorts extends ClusterPorts, Pick<BuildPorts, 'remotes' | 'plugins' | 'helm'> {
  /** Fetches the artifacts of ExternalArtifacts, which other servers serve. */
  readonly download: Download
  readonly artifacts: ArtifactStore
  readonly refetch: Refetch
  readonly keys: Keys
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly clock: Clock
  /** For plans, and for units that go back by themselves. */
  readonly hub: PlanPorts['hub'] & UndoPorts['hub']
  /** Of a runner that counts signed approvals only. */
  readonly signatures?: PlanPorts['signatures']
  /** For the slots of clusters that limit their passes. */
  readonly leases: Leases
  /** Runs builds that are too large for this thread. */
  readonly offThread?: OffThread | undefined
  /** Makes each build once; the reconciler has a cache of its own unless one is given. */
  readonly cached?: CachedBuild
  readonly openPgp: OpenPgp
  /** Access to the clouds' key services, with its identities; if absent, only keys in Secrets decrypt. */
  readonly cloudKeys?: DecryptionPorts | undefined
}

/** What all passes over Kustomizations share. */
export interface Context extends KustomizationPorts {
  readonly settings: KustomizationSettings
  readonly readSource: SourceFiles
  readonly cached: CachedBuild
  readonly decryption: Decryption
  readonly unfinished: UnfinishedRuns<OngoingCheck>
  readonly units: UnitMemory
  /** What units have applied, for an undo. */
  readonly builds: BuildStore
  readonly legacies: Legacies
  /** For deletions that wait until objects are gone: whether their events were emitted. */
  readonly terminations: UnfinishedRuns<'reported'>
}
