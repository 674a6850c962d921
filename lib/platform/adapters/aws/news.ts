export interface News {
  /** Wakes whoever sleeps on the topic. */
  wake(topic: string): void
  /** Resolves when the topic is woken, after a time, or when the signal aborts. */
  sleep(topic: string, ms: number, signal: AbortSignal): Promise<void>
}

/** What this process changed itself its watchers needn't poll for. */
export const news = (): News => {
  const sleepers = new Map<string, Set<() => void>>()
  return {
    wake: topic => {
      for (const wake of sleepers.get(topic) ?? []) wake()
    },
    sleep: (topic, ms, signal) =>
      new Promise(resolve => {
        if (signal.aborted) return resolve()
        const asleep = sleepers.get(topic) ?? new Set()
        sleepers.set(topic, asleep)
        const wake = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', wake)
          asleep.delete(wake)
          if (asleep.size === 0 && sleepers.get(topic) === asleep) sleepers.delete(topic)
          resolve()
        }
        const timer = setTimeout(wake, ms)
        signal.addEventListener('abort', wake, { once: true })
        asleep.add(wake)
      }),
  }
}
