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
  /** Waits as a WakeUp says; resolves to whether there is news. */
  readonly waitFor: (wakeUp: WakeUp, signal: AbortSignal) => Promise<boolean>
}

/** `pollMs` is the time between two requests to a hub that wakes no runner. */
export const createNews = ({ clock, random, log, waitFor }: NewsPorts, pollMs: number): News => {
  let place: { readonly wakeUp: WakeUp; readonly pollAt: number } | undefined
  let [failures, failedWaits] = [0, 0]
  let isDue = true
  /** Whether the last request has only renewed. */
  let hasRenewed = false
  let isRenewing = false
  const isTime = (): boolean => place !== undefined && clock.monotonic() >= place.pollAt

  /** Whether it could wait. */
  const waitToBeWoken = async (wakeUp: WakeUp, signal: AbortSignal): Promise<boolean> => {
    try {
      isDue = await waitFor(wakeUp, signal)
      failedWaits = 0
      return true
    } catch (error) {
      if (signal.aborted) return true
      failedWaits++
      place = undefined
      // A proxy may end each request that is held: that is logged once.
      if ('url' in wakeUp || failedWaits === 1)
        log.error('url' in wakeUp ? cannotWait : isNotHeld, { error, failures: failedWaits })
      return false
    }
  }

  return {
    isDue: () => isDue || isTime(),
    wants: () => {
      const isQueued = place !== undefined && 'url' in place.wakeUp
      // What a held request waits for is counted from the last comparison.
      isRenewing = isQueued && !isDue && isTime() && !hasRenewed
      return { waits: place === undefined || isTime(), renews: isRenewing }
    },
    polled: wakeUp => {
      failures = 0
      isDue = false
      hasRenewed = isRenewing
      if (wakeUp) place = { wakeUp, pollAt: clock.monotonic() + restOf(wakeUp, random.fraction()) }
      else if (isTime()) place = undefined
    },
    failed: () => ++failures,
    wait: async signal => {
      const wakeUp = place?.wakeUp
      if (failures === 0 && wakeUp && (await waitToBeWoken(wakeUp, signal))) return
      // Where requests are billed, they become fewer as long as nothing can wake the runner.
      const inVain = wakeUp && 'seen' in wakeUp ? failures : Math.max(failures, failedWaits)
      await clock.sleep(pauseMs(pollMs, inVain, random.fraction()), signal).catch(() => {})
      isDue = true
    },
  }
}

const cannotWait = 'nothing can wake this runner: it polls the hub, down to once a minute'
const isNotHeld = 'the hub does not hold a request of this runner: it polls'

/** Milliseconds until the next poll if nothing wakes the runner. Spread, so that runners that came back together don't stay together. */
const restOf = (wakeUp: WakeUp, fraction: number): number =>
  'url' in wakeUp ? wakeUp.pollAfterMs * (0.8 + 0.2 * fraction) : 0
