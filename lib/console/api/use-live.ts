import { useEffect, useRef, useState } from 'preact/hooks'
import type { StreamingHubApi } from './browser-api.ts'
import { followChanges } from './follow-changes.ts'

/** What a page reads, and what it follows. */
export interface LiveQuery<T> {
  /** Another key is another question: what was shown before is dropped. */
  readonly key: string
  /** Collections whose changes need a new read. */
  readonly paths: readonly string[]
  read(api: StreamingHubApi, signal: AbortSignal): Promise<T>
  /** Keeps the last result until that to another key is there, as for the letters of a filter. */
  readonly keepsOld?: boolean
  /** How often to read what can't be followed, at most, in milliseconds. */
  readonly everyMs?: number
}

export interface Live<T> {
  /** undefined until the first result. */
  readonly data: T | undefined
  /** Why the last read failed; `data` is older then. */
  readonly error: Error | undefined
  /** Whether changes arrive. */
  readonly isLive: boolean
  /** Reads again. */
  refresh(): void
}

/** Reads are this far apart, however much changes. */
const paceMs = 600
/** Without a change, for what can't be watched. */
const idleMs = 30_000
/** Where nothing may be watched, as by who may list in some namespaces only. */
const pollMs = 2_000

/** Reads, and reads again when something changes, or now and then where changes are not streamed. Rests while the page is hidden. */
export const useLive = <T>(
  api: StreamingHubApi,
  { key, paths, read, keepsOld = false, everyMs }: LiveQuery<T>,
): Live<T> => {
  const [result, setResult] = useState<Result<T>>()
  const [error, setError] = useState<Error>()
  const [isLive, setLive] = useState(true)
  const refresh = useRef(() => {})
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    setError(undefined)
    let timer: ReturnType<typeof setTimeout> | undefined
    let last = Number.NEGATIVE_INFINITY
    let isReading = false
    let isStale = false
    const run = async () => {
      timer = undefined
      isReading = true
      isStale = false
      last = performance.now()
      try {
        const data = await read(api, signal)
        if (signal.aborted) return
        setResult(remember(api, { key, data }))
        setError(undefined)
      } catch (failure) {
        if (signal.aborted) return
        setError(failure as Error)
      } finally {
        isReading = false
      }
      if (!signal.aborted && isStale) schedule()
    }
    const schedule = () => {
      if (isReading) isStale = true
      else if (document.hidden) isStale = true
      else timer ??= setTimeout(run, Math.max(0, last + paceMs - performance.now()))
    }
    const wake = () => {
      if (!document.hidden && !isReading) schedule()
    }
    refresh.current = schedule
    schedule()
    let restMs = everyMs ?? idleMs
    let idle: ReturnType<typeof setTimeout> | undefined
    const rest = () => {
      idle = setTimeout(
        () => {
          schedule()
          rest()
        },
        Math.max(everyMs ?? 0, api.pollMs() ?? restMs),
      )
    }
    rest()
    const poll = () => {
      restMs = pollMs
      clearTimeout(idle)
      rest()
    }
    document.addEventListener('visibilitychange', wake)
    if (api.pollMs() === undefined)
      void followChanges({
        api,
        paths,
        onChange: schedule,
        onRefused: poll,
        onConnection: connection => setLive(connection !== 'broken'),
        sleep,
        signal,
      })
    return () => {
      clearTimeout(timer)
      clearTimeout(idle)
      document.removeEventListener('visibilitychange', wake)
      ending.abort()
    }
  }, [api, key])
  const isCurrent = result !== undefined && (keepsOld || result.key === key)
  const data = isCurrent ? result.data : (resultsOf(api).get(key)?.data as T | undefined)
  return { data, error, isLive, refresh: () => refresh.current() }
}

interface Result<T> {
  readonly key: string
  readonly data: T
}

/** The last results, so that going back shows at once what was there. */
const results = new WeakMap<StreamingHubApi, Map<string, Result<unknown>>>()
const maxResults = 30

const resultsOf = (api: StreamingHubApi): Map<string, Result<unknown>> => {
  const known = results.get(api) ?? new Map<string, Result<unknown>>()
  results.set(api, known)
  return known
}

const remember = <T>(api: StreamingHubApi, result: Result<T>): Result<T> => {
  const known = resultsOf(api)
  known.delete(result.key)
  known.set(result.key, result)
  const [oldest] = known.keys()
  if (known.size > maxResults && oldest !== undefined) known.delete(oldest)
  return result
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(signal.reason)
      },
      { once: true },
    )
  })
