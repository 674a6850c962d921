/** Settles with the outcome of the work, or rejects with the signal's reason as soon as that aborts; the work itself continues. */
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
