import { Duration } from 'aws-cdk-lib'
import type { Stage } from '../lib/platform/ports/queue.ts'

export interface StageLimits {
  /** Of one invocation: a whole batch. */
  readonly timeout: Duration
  readonly memoryMb: number
  /** Of its own disk: what is free on every Lambda unless given. */
  readonly diskMb?: number
  readonly batchSize: number
  /** Functions at a time: what a stage may take of the account's concurrency. */
  readonly maxConcurrency: number
  /** Deliveries of a message before it counts as dead. */
  readonly attempts: number
}

const quarterOfAnHour = Duration.minutes(15)

/** How much of Lambda each stage may use. 1769 MB is one whole CPU. */
export const stageLimits: Readonly<Record<Stage, StageLimits>> = {
  // Waits for git servers and registries, unpacks and packs. A large repository lies on disk, as it comes and as it is stored.
  source: { timeout: quarterOfAnHour, memoryMb: 1024, diskMb: 5120, batchSize: 5, maxConcurrency: 20, attempts: 5 },
  // Nothing but CPU.
  build: { timeout: quarterOfAnHour, memoryMb: 1769, batchSize: 5, maxConcurrency: 20, attempts: 5 },
  // Waits for clusters: passes of a batch share connections, so that many clusters go on at a time.
  apply: { timeout: quarterOfAnHour, memoryMb: 1769, batchSize: 10, maxConcurrency: 50, attempts: 5 },
  // Waits for clusters as well, and renders charts. An action that takes longer than a pass goes on in the next one.
  helmrelease: { timeout: quarterOfAnHour, memoryMb: 1769, batchSize: 5, maxConcurrency: 20, attempts: 5 },
  // One pass may write thousands of objects to the hub, which is CPU above all.
  resourceset: { timeout: quarterOfAnHour, memoryMb: 1769, batchSize: 5, maxConcurrency: 10, attempts: 5 },
  notify: { timeout: Duration.minutes(2), memoryMb: 256, batchSize: 10, maxConcurrency: 5, attempts: 5 },
}
