import { Duration } from 'aws-cdk-lib'
import type { Stage } from '../lib/platform/ports/queue.ts'

export interface StageLimits {
  /** Of one invocation, which handles a batch. */
  readonly timeout: Duration
  readonly memoryMb: number
  /** Ephemeral storage; Lambda's default if undefined. */
  readonly diskMb?: number
  readonly batchSize: number
  /** Concurrent invocations, of the account's limit. */
  readonly maxConcurrency: number
  /** Deliveries of a message before it moves to the dead-letter queue. */
  readonly attempts: number
}

const quarterOfAnHour = Duration.minutes(15)

/** The limits of each stage's function. 1769 MB is one vCPU. */
export const stageLimits: Readonly<Record<Stage, StageLimits>> = {
  // Waits for git servers and registries, extracts and packs archives. A large repository is on disk twice: as fetched and as stored.
  source: { timeout: quarterOfAnHour, memoryMb: 1024, diskMb: 5120, batchSize: 5, maxConcurrency: 20, attempts: 5 },
  // Limited by CPU.
  build: { timeout: quarterOfAnHour, memoryMb: 1769, batchSize: 5, maxConcurrency: 20, attempts: 5 },
  // Waits for clusters. Passes of a batch share connections, and run concurrently.
  apply: { timeout: quarterOfAnHour, memoryMb: 1769, batchSize: 10, maxConcurrency: 50, attempts: 5 },
  // Waits for clusters as well, and renders charts. An action that takes longer than a pass continues in the next one.
  helmrelease: { timeout: quarterOfAnHour, memoryMb: 1769, batchSize: 5, maxConcurrency: 20, attempts: 5 },
  // One pass may write thousands of objects to the hub, which takes mainly CPU.
  resourceset: { timeout: quarterOfAnHour, memoryMb: 1769, batchSize: 5, maxConcurrency: 10, attempts: 5 },
  notify: { timeout: Duration.minutes(2), memoryMb: 256, batchSize: 10, maxConcurrency: 5, attempts: 5 },
}
