import { cluster as clusterKind } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { describeTarget } from '../../foundations/kinds/target-reference.ts'
import { ownAccess } from '../../foundations/rules/runner-access.ts'
import type { WakeUps } from '../../platform/ports/wake-ups.ts'
import { sweep } from '../housekeeping.ts'
import { composeLoop } from '../loop.ts'
import { ensureRootSource } from '../root-source.ts'
import type { AwsHub } from './aws-hub.ts'
import { wakeUpsOf } from './wake-ups.ts'

/** Garbage costs little to keep; every sweep costs requests. */
const sweepMs = 60 * 60_000

/** Deletes the queues of clusters that have no runner any more. */
const sweepWakeUps = (hub: AwsHub['hub'], wakeUps: WakeUps): Promise<void> =>
  wakeUps.keepOnly(async () => {
    const { items } = await hub.list<KubernetesObject>({ group: clusterKind.group, kind: clusterKind.kind })
    return items.flatMap(cluster => ownAccess(cluster) ?? []).map(describeTarget)
  })

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
    await Promise.all([sweep(hub, ports, base.settings), platform.sweep(), sweepWakeUps(hub, wakeUpsOf(base))])
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
