export interface WakeUps {
  /** Resolves at the next `wake` of the topic, at `wakeAll`, or when the signal aborts. */
  sleep(topic: string, signal: AbortSignal): Promise<void>
  wake(topic: string): void
  wakeAll(): void
}

/** Lets parts of one process wait for each other's news without polling. */
export function wakeUps(): WakeUps {
  const sleepers = new Map<string, Set<() => void>>()

  const wake = (topic: string) => {
    const asleep = sleepers.get(topic)
    sleepers.delete(topic)
    for (const awake of asleep ?? []) awake()
  }

  return {
    sleep: (topic, signal) =>
      new Promise(resolve => {
        if (signal.aborted) return resolve()
        const asleep = sleepers.get(topic) ?? new Set()
        sleepers.set(topic, asleep)
        const awake = () => {
          asleep.delete(awake)
          signal.removeEventListener('abort', awake)
          resolve()
        }
        asleep.add(awake)
        signal.addEventListener('abort', awake, { once: true })
      }),
    wake,
    wakeAll: () => {
      for (const topic of [...sleepers.keys()]) wake(topic)
    },
  }
}
