import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import type { Clock } from '../../platform/ports/clock.ts'

/** The response of a query: its status, its body as JSON (as text if it is none), and the first number in a response of Prometheus. */
export interface QueryResult {
  readonly status: number
  readonly body: unknown
  readonly value: number | null
}

/** Makes a request. Fails if there is no response in time, or a larger one than allowed. A result of no longer than `maxAgeMs` ago may be used again. */
export type QueryGate = (url: string, signal: AbortSignal, maxAgeMs: number) => Promise<QueryResult>

type Fetch = (url: string, init: { readonly signal: AbortSignal }) => Promise<Response>

/** Limits of one query. */
const timeoutMs = 10_000
const maxBodyBytes = 1024 * 1024

/** Queries over `fetch`, which must refuse forbidden addresses, also those that a name resolves to. */
export const queryGate =
  (fetch: Fetch): QueryGate =>
  async (url, signal) => {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
    const body = parsed(await boundedText(response))
    return { status: response.status, body, value: firstNumber(body) }
  }

/** Bytes of results that are kept. */
const maxKeptBytes = 8 * 1024 * 1024

/** Uses results again, also failures, for as long as a gate allows: gates are judged more often than they may send requests. */
export const pacedGate = (query: QueryGate, { now }: Pick<Clock, 'now'>): QueryGate => {
  const kept = new RecentlyUsed<{ readonly at: number; readonly settled: PromiseSettledResult<QueryResult> }>(
    maxKeptBytes,
  )
  return async (url, signal, maxAgeMs) => {
    const known = kept.get(url)
    const isUsable = known !== undefined && now() - known.at < maxAgeMs
    const [settled] = isUsable ? [known.settled] : await Promise.allSettled([query(url, signal, maxAgeMs)])
    signal.throwIfAborted()
    if (!isUsable) kept.set(url, { at: now(), settled }, sizeOf(settled))
    if (settled.status === 'rejected') throw settled.reason
    return settled.value
  }
}

const sizeOf = (settled: PromiseSettledResult<QueryResult>): number =>
  settled.status === 'fulfilled' ? 1024 + JSON.stringify(settled.value.body).length : 1024

const boundedText = async ({ body }: Response): Promise<string> => {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body ?? []) {
    bytes += piece.length
    if (bytes > maxBodyBytes) throw new Error(`the response has more than ${maxBodyBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

interface PrometheusBody {
  readonly data?: { readonly resultType?: string; readonly result?: unknown }
}

/** Of a scalar its value, of a vector that of the first sample: the API of Prometheus writes numbers as text. */
const firstNumber = (body: unknown): number | null => {
  const { resultType, result } = (body as PrometheusBody | null)?.data ?? {}
  const sample =
    resultType === 'scalar'
      ? result
      : resultType === 'vector'
        ? (result as { value?: unknown }[] | undefined)?.[0]?.value
        : undefined
  const text = Array.isArray(sample) ? sample[1] : undefined
  return typeof text === 'string' && text !== '' && !Number.isNaN(Number(text)) ? Number(text) : null
}
