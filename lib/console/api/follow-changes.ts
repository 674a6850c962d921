/** Changes of what a page shows, over one connection that is opened again whenever it breaks. */
import type { HubApi } from './hub-api.ts'

/** Whether changes arrive at the moment. */
export type Connection = 'connecting' | 'live' | 'broken'

export interface Following {
  readonly api: Pick<HubApi, 'lines'>
  /** Paths of collections in the API. */
  readonly paths: readonly string[]
  /** Called whenever something may have changed: after each connect, too. */
  onChange(): void
  onConnection(connection: Connection): void
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

const firstDelayMs = 500
const maxDelayMs = 8_000
/** The hub sends a line every 15 seconds at least. */
const silentMs = 40_000

/** Runs until the signal aborts. */
export const followChanges = async (following: Following): Promise<void> => {
  const { api, paths, onChange, onConnection, sleep, signal } = following
  const query = new URLSearchParams(paths.map(path => ['path', watchPath(path)]))
  let delay = firstDelayMs
  while (!signal.aborted) {
    const attempt = new AbortController()
    const stop = AbortSignal.any([signal, attempt.signal])
    let silence = setTimeout(() => attempt.abort(), silentMs)
    try {
      let isFirst = true
      for await (const line of api.lines(`/console/watch?${query}`, stop)) {
        clearTimeout(silence)
        silence = setTimeout(() => attempt.abort(), silentMs)
        if (isFirst) {
          isFirst = false
          delay = firstDelayMs
          onConnection('live')
          onChange()
        } else if (isEvent(line)) onChange()
        else if (line.endsWith(' !') && paths.length === 1) break
      }
    } catch {
      // Opened again below.
    } finally {
      clearTimeout(silence)
    }
    if (signal.aborted) return
    onConnection('broken')
    await sleep(delay, signal).catch(() => {})
    delay = Math.min(maxDelayMs, delay * 2)
  }
}

/** From now on, without what exists. */
const watchPath = (path: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`

const isEvent = (line: string): boolean => /^\d+ \{"type":"(?:ADDED|MODIFIED|DELETED)"/.test(line)
