import { join } from 'node:path'
import { answersOf } from './line-oracle.ts'

export interface CronQuestion {
  readonly schedule: string
  readonly zone: string
  /** Milliseconds since the epoch. */
  readonly after: number
  /** How many times to answer, at most. */
  readonly times: number
}

/** The next times by robfig/cron, in milliseconds since the epoch. */
export const askCronOracle = (questions: readonly CronQuestion[]): Promise<readonly (readonly number[])[]> =>
  answersOf(
    {
      name: 'cron-oracle',
      source: join(import.meta.dirname, 'cron-oracle'),
      ldflags: '-s -w',
      takes: 'some seconds',
    },
    questions,
  )
