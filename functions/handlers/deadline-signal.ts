import type { Context } from 'aws-lambda'

/** Ends some time before Lambda ends the function: time to write down how far the work has come, and to answer. */
export const deadlineSignal = (
  { getRemainingTimeInMillis }: Pick<Context, 'getRemainingTimeInMillis'>,
  reserveMs = 5000,
) => AbortSignal.timeout(Math.max(0, getRemainingTimeInMillis() - reserveMs))

/**
 * Nobody tells a function that its client has gone: it goes on, is billed, and keeps its place among those that run at a time. So a watch
 * ends soon; clients take it up again where it ended. CloudFront breaks off what is silent for a minute (infra/domain.ts): it ends before.
 */
const watchMs = 55_000
const reserveMs = 30_000

/** Ends with a request to the API: a watch after 55 s, anything else before Lambda would cut it off. */
export const requestSignal = (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>): AbortSignal => {
  const query = new URLSearchParams((event as { readonly rawQueryString?: string } | null)?.rawQueryString)
  const deadline = deadlineSignal(context, reserveMs)
  const isWatch = ['true', '1'].includes(query.get('watch') ?? '')
  return isWatch ? AbortSignal.any([deadline, AbortSignal.timeout(watchMs)]) : deadline
}
