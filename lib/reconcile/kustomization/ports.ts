import type { ArtifactStore } from '../../ports/artifacts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Keys } from '../../ports/keys.ts'
import type { TargetPorts } from './target-cluster.ts'

export interface KustomizationPorts extends TargetPorts {
  readonly artifacts: ArtifactStore
  readonly keys: Keys
  readonly clock: Clock
}
