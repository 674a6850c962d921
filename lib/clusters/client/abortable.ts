/** Settles with the work's outcome, or rejects with the signal's reason as soon as that aborts: the work may go on, but nobody waits for it. */
export const abortable = async <T>(work: Promise<T>, signal?: AbortSignal): Promise<T> => {
  if (!signal) return work
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
