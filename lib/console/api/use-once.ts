import { useEffect, useState } from 'preact/hooks'
import type { StreamingHubApi } from './browser-api.ts'
import type { Live, LiveQuery } from './use-live.ts'

/** Reads what costs too much to be followed: once, and again only on `refresh`, until which nothing is shown. */
export const useOnce = <T>(api: StreamingHubApi, { key, read }: Pick<LiveQuery<T>, 'key' | 'read'>): Live<T> => {
  const [times, setTimes] = useState(0)
  const of = `${key} ${times}`
  const [result, setResult] = useState<{ readonly of: string; readonly data?: T; readonly error?: Error }>()
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    const keep = (outcome: { readonly data: T } | { readonly error: Error }) => {
      if (!signal.aborted) setResult({ of, ...outcome })
    }
    read(api, signal).then(
      data => keep({ data }),
      (error: Error) => keep({ error }),
    )
    return () => ending.abort()
  }, [api, of])
  const current = result?.of === of ? result : undefined
  return { data: current?.data, error: current?.error, isLive: true, refresh: () => setTimes(times + 1) }
}
