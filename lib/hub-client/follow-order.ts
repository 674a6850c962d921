/** Milliseconds between two requests for the result: at first, and at most. */
const [firstMs, maxMs] = [100, 1_500]

/**
 * What a hub reports of a unit. If only the runner of the unit's cluster can find it out, the hub responds with an order, and this polls for the result.
 * `get` sends the request, with further parameters. Fails as that does, or with the reason of the signal.
 */
export const followOrder = async <T extends object>(
  get: (more: Readonly<Record<string, string>>) => Promise<object>,
  signal: AbortSignal,
): Promise<T> => {
  const first = await get({})
  const order = onlyField(first, 'order')
  if (typeof order !== 'string') return first as T
  for (let pauseMs = firstMs; ; pauseMs = Math.min(pauseMs * 1.5, maxMs)) {
    const found = await get({ order })
    if (onlyField(found, 'waiting') !== true) return found as T
    await pause(pauseMs, signal)
  }
}

/** A report may have such a field, too, but has others besides. */
const onlyField = (document: object, name: string): unknown =>
  Object.keys(document).length === 1 ? (document as Readonly<Record<string, unknown>>)[name] : undefined

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
  })
