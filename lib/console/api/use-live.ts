import { useEffect, useRef, useState } from 'preact/hooks'
import { followChanges } from './follow-changes.ts'
import { ApiFailure, type HubApi } from './hub-api.ts'

/** What a page reads, and what it follows. */
export interface LiveQuery<T> {
  /** Another key is another question: what was shown before is dropped. */
  readonly key: string
  /** Collections whose changes need a new read. */
  readonly paths: readonly string[]
  read(api: HubApi, signal: AbortSignal): Promise<T>
}

export interface Live<T> {
  /** undefined until the first answer. */
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

/** Reads, and reads again when something changes. Rests while the page is hidden. */
export const useLive = <T>(api: HubApi, { key, paths, read }: LiveQuery<T>): Live<T> => {
  const [answer, setAnswer] = useState<{ readonly key: string; readonly data: T }>()
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
        setAnswer({ key, data })
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
    const idle = setInterval(schedule, idleMs)
    document.addEventListener('visibilitychange', wake)
    void followChanges({
      api,
      paths,
      onChange: schedule,
      onConnection: connection => setLive(connection !== 'broken'),
      sleep,
      signal,
    })
    return () => {
      clearTimeout(timer)
      clearInterval(idle)
      document.removeEventListener('visibilitychange', wake)
      ending.abort()
    }
  }, [api, key])
  return { data: answer?.key === key ? answer.data : undefined, error, isLive, refresh: () => refresh.current() }
}

export const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
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

export const isForbidden = (error: unknown): error is ApiFailure => error instanceof ApiFailure && error.status === 403
