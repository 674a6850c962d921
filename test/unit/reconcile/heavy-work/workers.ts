import { workerPool } from '../../../../lib/platform/adapters/embedded/worker-pool.ts'
import { endWithTest } from '../../../bed/teardown.ts'

/** The workers of an embedded hub, which end with the test. */
export const workers = () => {
  const entry = new URL('../../../../lib/compose/heavy-work-thread.ts', import.meta.url)
  const pool = workerPool({ entry, size: 1, seconds: 60, megabytes: 256 })
  endWithTest({ [Symbol.asyncDispose]: () => pool.close() })
  return pool
}
