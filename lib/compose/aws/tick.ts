import { sweep } from '../housekeeping.ts'
import { composeLoop } from '../loop.ts'
import { ensureRootSource } from '../root-source.ts'
import type { AwsHub } from './aws-hub.ts'

/** Garbage costs little to keep; every sweep costs requests. */
const sweepMs = 60 * 60_000

/** The work of each minute: enqueues what is due, and periodically sweeps the hub. */
export const awsTick = (base: AwsHub): (() => Promise<void>) => {
  const { hub, platform, ports, environment, addressed } = base
  const { clock, log } = ports
  const loop = composeLoop(ports, base.settings, base, { reconcilers: [], addressed })

  let prepared: Promise<void> | undefined
  /** The objects of every hub. Each process that starts creates them: repeating it changes nothing. */
  const prepare = async (): Promise<void> => {
    await hub.prepare()
    if (environment.rootSource) await ensureRootSource(hub, environment.rootSource)
  }

  let sweptAt = Number.NEGATIVE_INFINITY
  const sweepWhenDue = async (): Promise<void> => {
    if (clock.now() - sweptAt < sweepMs) return
    sweptAt = clock.now()
    await Promise.all([sweep(hub, ports, base.settings), platform.sweep()])
  }

  return async () => {
    prepared ??= prepare()
    await prepared.catch(error => {
      prepared = undefined
      log.error('failed to prepare the hub, retrying', { error })
    })
    await loop.tick()
    await sweepWhenDue().catch(error => log.error('failed to sweep the hub, retrying', { error }))
  }
}
