export interface WakeUps {
  /** Resolves at the next `wake` of the topic, at `wakeAll`, after a time in milliseconds if given, or when the signal aborts. */
  sleep(topic: string, signal: AbortSignal, ms?: number): Promise<void>
  wake(topic: string): void
  wakeAll(): void
}

/** Lets parts of one process wait for each other without polling. */
export const wakeUps = (): WakeUps => {
  const sleepers = new Map<string, Set<() => void>>()

  const wake = (topic: string): void => {
    for (const awake of [...(sleepers.get(topic) ?? [])]) awake()
  }

  return {
    sleep: (topic, signal, ms) =>
      new Promise(resolve => {
        if (signal.aborted) return resolve()
        const asleep = sleepers.get(topic) ?? new Set()
        sleepers.set(topic, asleep)
        const awake = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', awake)
          asleep.delete(awake)
          if (asleep.size === 0 && sleepers.get(topic) === asleep) sleepers.delete(topic)
          resolve()
        }
        const timer = ms === undefined ? undefined : setTimeout(awake, ms)
        signal.addEventListener('abort', awake, { once: true })
        asleep.add(awake)
      }),
    wake,
    wakeAll: () => {
      for (const topic of [...sleepers.keys()]) wake(topic)
    },
  }
}
