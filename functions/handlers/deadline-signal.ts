import type { Context } from 'aws-lambda'

/** Ends some time before Lambda ends the function: time to write down how far the work has come, and to answer. */
export const deadlineSignal = (
  { getRemainingTimeInMillis }: Pick<Context, 'getRemainingTimeInMillis'>,
  reserveMs = 5000,
) => AbortSignal.timeout(Math.max(0, getRemainingTimeInMillis() - reserveMs))
