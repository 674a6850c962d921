import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { Random } from '../../platform/ports/random.ts'
import { pauseMs } from './pause.ts'
import type { WakeUp } from './protocol.ts'

/** When a runner polls its hub: when something wakes it, where the hub does that, and after some time. */
export interface News {
  /** Whether to poll now. */
  isDue(): boolean
  /** What to request: a WakeUp, too, or nothing but that. */
  wants(): PollWants
  /** The hub has responded, with a WakeUp if one was requested and the hub has them. */
  polled(wakeUp: WakeUp | undefined): void
  /** The hub has not responded, or has refused; returns how often in a row. */
  failed(): number
  /** Waits until it may be time to poll: for 20 seconds at most where something wakes it. Never fails. */
  wait(signal: AbortSignal): Promise<void>
}

export interface PollWants {
  readonly waits: boolean
  /** Nothing says that there is news, and the copy was compared the last time that so was. */
  readonly renews: boolean
}

interface NewsPorts {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly random: Pick<Random, 'fraction'>
  readonly log: Pick<Log, 'error'>
  /** Waits at the URL of a WakeUp; resolves to whether there is news. */
  readonly waitAt: (url: string, signal: AbortSignal) => Promise<boolean>
}

/** `pollMs` is the time between two requests to a hub that wakes no runner. */
export const createNews = ({ clock, random, log, waitAt }: NewsPorts, pollMs: number): News => {
  let place: { readonly url: string; readonly pollAt: number } | undefined
  let [failures, failedWaits] = [0, 0]
  let isDue = true
  /** Whether the last request has only renewed. */
  let hasRenewed = false
  let isRenewing = false
  const isTime = (): boolean => place !== undefined && clock.monotonic() >= place.pollAt

  /** Whether it could wait. */
  const waitToBeWoken = async (url: string, signal: AbortSignal): Promise<boolean> => {
    try {
      isDue = await waitAt(url, signal)
      failedWaits = 0
      return true
    } catch (error) {
      if (signal.aborted) return true
      failedWaits++
      place = undefined
      log.error('nothing can wake this runner: it polls the hub, down to once a minute', {
        ...{ error, failures: failedWaits },
      })
      return false
    }
  }

  return {
    isDue: () => isDue || isTime(),
    wants: () => {
      isRenewing = !isDue && isTime() && !hasRenewed
      return { waits: place === undefined || isTime(), renews: isRenewing }
    },
    polled: wakeUp => {
      failures = 0
      isDue = false
      hasRenewed = isRenewing
      // Spread, so that runners that came back together don't stay together.
      const after = wakeUp && wakeUp.pollAfterMs * (0.8 + 0.2 * random.fraction())
      if (wakeUp) place = { url: wakeUp.url, pollAt: clock.monotonic() + after! }
      else if (isTime()) place = undefined
    },
    failed: () => ++failures,
    wait: async signal => {
      if (failures === 0 && place && (await waitToBeWoken(place.url, signal))) return
      await clock.sleep(pauseMs(pollMs, Math.max(failures, failedWaits), random.fraction()), signal).catch(() => {})
      isDue = true
    },
  }
}
