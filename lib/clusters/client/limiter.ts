/** Runs at most `width` tasks at a time; the others wait in order, and leave the queue when their signal aborts. */
export const limiter = (width: number) => {
  let free = width
  const waiting = new Set<() => void>()

  const enter = (signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted()
    if (free > 0) {
      free--
      return Promise.resolve()
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      waiting.delete(admit)
      reject(signal?.reason)
    }
    const admit = () => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    signal?.addEventListener('abort', leave, { once: true })
    waiting.add(admit)
    return promise
  }
  const exit = (): void => {
    const next = waiting.values().next().value
    if (!next) {
      free++
      return
    }
    waiting.delete(next)
    next()
  }
  return async <T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    await enter(signal)
    try {
      return await task()
    } finally {
      exit()
    }
  }
}
