import { formatDuration } from '../foundations/kinds/duration.ts'
import type { EmbeddedPlatform } from '../platform/adapters/embedded/embedded-platform.ts'
import type { Log } from '../platform/ports/log.ts'
import type { ConsumeOptions, Stage } from '../platform/ports/queue.ts'
import { clockWatch, correctDueTimes } from '../reconcile/runtime/clock-steps.ts'
import { defaultLoopSettings } from '../reconcile/runtime/loop.ts'
import type { Core } from './core.ts'
import { sweep } from './housekeeping.ts'
import type { Ports } from './platform.ts'
import type { Settings } from './settings/settings.ts'

/** The background work of an embedded hub. */
export interface EmbeddedWork {
  /** Checks everything that may have been in progress, for instance after a time in which nothing could be stored. */
  resume(): void
  /** Takes no more work, and resolves when running work has ended. */
  stop(): Promise<void>
}

type WorkSettings = Settings & { readonly log: Log }

/** What work outside of the loop needs of this machine. */
export type WorkPorts = EmbeddedPlatform & Pick<Ports, 'connections' | 'identities'>

const stages: readonly Stage[] = ['source', 'apply', 'helmrelease', 'resourceset', 'notify']
const sweepMs = 5 * 60_000
const watchClockMs = 5_000
/** Number of dead clusters that may block their share of workers before others are affected. */
const clustersAtOnce = 5

/** The share of `concurrent` reserved for namespaces with few running passes. */
const spareShare = 0.25

/** Kustomizations and HelmReleases wait for clusters: each cluster may block `concurrent` passes while others continue. */
const boundOf = (stage: Stage, concurrent: number): ConsumeOptions => {
  const spare = Math.ceil(concurrent * spareShare)
  if (stage === 'apply' || stage === 'helmrelease')
    return { concurrency: concurrent * clustersAtOnce, spare, perGroup: concurrent }
  return { concurrency: concurrent, spare }
}

/** Processes the queue, enqueues due objects, sweeps, and detects changes of the system clock. */
export const startWork = (core: Core, platform: WorkPorts, settings: WorkSettings): EmbeddedWork => {
  const { queue, clock } = platform
  const { concurrent, log } = settings
  const stopping = new AbortController()
  const { signal } = stopping
  const subscriptions = stages.map(stage =>
    queue.consume(stage, boundOf(stage, concurrent), message => core.loop.handle(message, signal)),
  )
  const every = async (ms: number, work: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) {
      await work().catch(error => log.error('periodic work failed', { error }))
      await clock.sleep(ms, signal).catch(() => {})
    }
  }

  const correct = (mayBackOff: boolean): Promise<number> => {
    const limits = { ...defaultLoopSettings, jitterPercentage: settings.intervalJitterPercentage }
    return correctDueTimes({ ...platform, hub: core.hub }, core.reconcilers, limits, { mayBackOff })
  }
  const begin = async (): Promise<void> => {
    const objects = await correct(true)
    if (objects > 0)
      log.error(
        'objects were due later than their intervals allow, and are due now: the clock was ahead, and was set back',
        {
          objects,
        },
      )
    await core.loop.resume()
  }
  const stepOf = clockWatch(clock)
  const watchClock = async (): Promise<void> => {
    const step = stepOf()
    if (step === 0) return
    const objects = await correct(false)
    const direction = step < 0 ? 'back' : 'forward'
    log.error(`the system's clock was set ${direction}`, { by: formatDuration(Math.abs(step)), objectsDueNow: objects })
    await core.loop.tick()
  }

  const resume = (): void => {
    core.loop.resume().catch(error => log.error('failed to resume', { error }))
  }
  const periodic = [
    begin().catch(error => log.error('failed to resume', { error })),
    every(defaultLoopSettings.tickMs, core.loop.tick),
    every(sweepMs, async () => {
      await sweep(core.hub, { ...platform, log }, settings)
      await platform.compact()
    }),
    every(watchClockMs, watchClock),
  ]
  return {
    resume,
    stop: async () => {
      stopping.abort()
      await Promise.all([...periodic, ...subscriptions.map(subscription => subscription.close())])
      await core.hub.settled()
    },
  }
}
