import type { Context } from 'aws-lambda'

/** Aborts some time before Lambda ends the function: time to store the progress, and to respond. */
export const deadlineSignal = (
  { getRemainingTimeInMillis }: Pick<Context, 'getRemainingTimeInMillis'>,
  reserveMs = 5000,
) => AbortSignal.timeout(Math.max(0, getRemainingTimeInMillis() - reserveMs))

/**
 * A function does not learn that its client has gone: it keeps running, is billed, and counts against the concurrency. So watches end soon; clients
 * resume them. CloudFront closes connections that are silent for a minute (infra/domain.ts), so a watch ends before that.
 */
const watchMs = 55_000
const reserveMs = 30_000

/** Aborts a request to the API: a watch after 55 s, others before Lambda would end them. */
export const requestSignal = (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): AbortSignal => {
  const query = new URLSearchParams((event as { readonly rawQueryString?: string } | null)?.rawQueryString)
  const deadline = deadlineSignal(context, reserveMs)
  const isWatch = ['true', '1'].includes(query.get('watch') ?? '')
  return isWatch ? AbortSignal.any([deadline, AbortSignal.timeout(watchMs)]) : deadline
}
