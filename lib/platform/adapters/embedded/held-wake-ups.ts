import type { Clock } from '../../ports/clock.ts'
import type { HeldWakeUps } from '../../ports/wake-ups.ts'
import { wakeUps } from '../wake-ups.ts'

/** The number of places of which the last wake-up is known; the others count as woken. */
const maxPlaces = 10_000

/** Wake-ups are counted, so that none is lost between two requests of one who waits. */
export const heldWakeUps = (clock: Pick<Clock, 'sleep'>): HeldWakeUps => {
  const sleepers = wakeUps()
  const last = new Map<string, number>()
  let [count, lastOfOthers] = [0, 0]
  return {
    count: () => count,
    send: async place => {
      if (last.size >= maxPlaces) {
        last.clear()
        lastOfOthers = count
      }
      last.set(place, ++count)
      sleepers.wake(place)
    },
    wait: async (place, after, ms, signal) => {
      const isWoken = () => (last.get(place) ?? lastOfOthers) > after
      if (isWoken()) return true
      const over = new AbortController()
      const either = AbortSignal.any([signal, over.signal])
      await Promise.race([sleepers.sleep(place, either), clock.sleep(ms, either).catch(() => {})])
      over.abort()
      return isWoken()
    },
  }
}
