import { sweep } from '../housekeeping.ts'
import { composeLoop } from '../loop.ts'
import { ensureRootSource } from '../root-source.ts'
import type { AwsHub } from './aws-hub.ts'

/** What is tidied costs little to keep; looking for it costs requests, each time. */
const sweepMs = 60 * 60_000

/** What happens each minute: what comes due is enqueued, and now and then the hub is tidied. */
export const awsTick = (base: AwsHub): (() => Promise<void>) => {
  const { hub, platform, ports, environment, addressed } = base
  const { clock, log } = ports
  const loop = composeLoop(ports, base.settings, base, { reconcilers: [], addressed })

  let prepared: Promise<void> | undefined
  /** What every hub has. Done by each process that starts: doing it again changes nothing. */
  const prepare = async (): Promise<void> => {
    await hub.prepare()
    if (environment.rootSource) await ensureRootSource(hub, environment.rootSource)
  }

  let sweptAt = Number.NEGATIVE_INFINITY
  const sweepNowAndThen = async (): Promise<void> => {
    if (clock.now() - sweptAt < sweepMs) return
    sweptAt = clock.now()
    await Promise.all([sweep(hub, ports, base.settings), platform.sweep()])
  }

  return async () => {
    prepared ??= prepare()
    await prepared.catch(error => {
      prepared = undefined
      log.error('preparing the hub will be tried again', { error })
    })
    await loop.tick()
    await sweepNowAndThen().catch(error => log.error('tidying up will be tried again', { error }))
  }
}
