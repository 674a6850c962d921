/** Changes of what a page shows, over one connection that is opened again whenever it breaks. */
import type { StreamingHubApi } from './browser-api.ts'

/** Whether changes arrive at the moment. */
export type Connection = 'connecting' | 'live' | 'broken'

export interface Following {
  readonly api: Pick<StreamingHubApi, 'lines'>
  /** Paths of collections in the API. */
  readonly paths: readonly string[]
  /** Called whenever something may have changed: after each connect, too. */
  onChange(): void
  onConnection(connection: Connection): void
  /** Called when the API refuses every watch: changes have to be polled. */
  onRefused(): void
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

const firstDelayMs = 500
const maxDelayMs = 8_000
/** The hub sends the first line at once, unless it is just starting. */
const connectMs = 10_000
/** And another one every 15 seconds at least. */
const silentMs = 40_000

/** Runs until the signal aborts. */
export const followChanges = async (following: Following): Promise<void> => {
  const { api, paths, onChange, onConnection, onRefused, sleep, signal } = following
  if (paths.length === 0) return
  const query = new URLSearchParams(paths.map((path): [string, string] => ['path', watchPath(path)]))
  let delay = firstDelayMs
  while (!signal.aborted) {
    const attempt = new AbortController()
    const stop = AbortSignal.any([signal, attempt.signal])
    let silence = setTimeout(() => attempt.abort(), connectMs)
    try {
      let isFirst = true
      const ended = new Set<string>()
      for await (const line of api.lines(`/console/watch?${query}`, stop)) {
        clearTimeout(silence)
        silence = setTimeout(() => attempt.abort(), silentMs)
        if (isFirst) {
          isFirst = false
          delay = firstDelayMs
          onConnection('live')
          onChange()
        } else if (isEvent(line)) onChange()
        else if (line.endsWith(' !')) ended.add(line)
        if (ended.size === paths.length) onRefused()
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
