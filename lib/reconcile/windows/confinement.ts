import type { ClusterClient } from '../../clusters/client/client.ts'
import { type Limited, limitedClient } from '../../clusters/client/limited-client.ts'
import { limiter } from '../../clusters/client/limiter.ts'
import { pacer } from '../../clusters/client/pacer.ts'
import { protectingClient } from '../../clusters/client/protecting-client.ts'
import { unreachableClient } from '../../clusters/client/unreachable-client.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { fleetGroup } from '../../foundations/kinds/references.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { type LeasePorts, whileHoldingLease } from '../runtime/lease-holding.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { Restraint } from './restraint.ts'

/**
 * Gives a pass the cluster of its unit as far as its Clusters allow: without what they protect, and with their limits. If probes have just found that
 * it does not respond, all requests fail at once; only a requested pass tries.
 */
export const confined = <T extends KubernetesObject>(
  pass: Pass<T>,
  { isRequested, clock }: { readonly isRequested: boolean; readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'> },
  restraint: () => Promise<Pick<Restraint, 'protections' | 'share' | 'reachability'>>,
): Pass<T> => {
  let shared: ReturnType<typeof limiter> | undefined
  let pace: Limited | undefined
  /** The dry runs of a visit have no share: together they send one request at a time. */
  const limitOf = async (requests: number): Promise<ReturnType<typeof limiter>> => {
    if (pass.dryRun) return pass.dryRun.once('a limit on requests', async () => limiter(1))
    shared ??= limiter(requests)
    return shared
  }
  const paceOf = (perSecond: number): Limited => {
    pace ??= pacer(perSecond, clock, pass.signal)
    return pace
  }
  const confine = async (given: ClusterClient): Promise<ClusterClient> => {
    const cluster = await pass.confine(given)
    const { protections, share, reachability } = await restraint()
    const { outage, recoveredAt } = reachability
    if (outage && outage.server === cluster.server && !isRequested) return unreachableClient(cluster, outage)
    if (recoveredAt !== undefined) cluster.hasResponded?.(clock.now() - recoveredAt)
    const limited = share?.requests ? limitedClient(cluster, await limitOf(share.requests)) : cluster
    const paced = share?.perSecond ? limitedClient(limited, paceOf(share.perSecond)) : limited
    return protections.length > 0 ? protectingClient(paced, protections) : paced
  }
  return { ...pass, confine }
}

/** How long a slot stays taken after its process has died, in milliseconds. */
const slotMs = 60_000

/** How soon a pass that has found no slot tries again, in milliseconds. */
export const slotRetryMs = 5_000

/**
 * Does the work of a pass in one of the slots of its cluster: leases, as many as passes may run there at a time in whichever processes.
 * Undefined if all are taken. Without limits, and for a dry run, none is needed.
 */
export const inSlot = async <T extends KubernetesObject, R>(
  ports: LeasePorts,
  { share }: Pick<Restraint, 'share'>,
  pass: Pass<T>,
  work: (pass: Pass<T>) => Promise<R>,
): Promise<{ readonly result: R } | undefined> => {
  if (!share || pass.dryRun) return { result: await work(pass) }
  const { access, passes } = share
  const first = ports.clock.now() % passes
  for (let tried = 0; tried < passes; tried++) {
    const name = `${access.kind}.${access.name}.${(first + tried) % passes}`
    const slot: ObjectRef = { group: fleetGroup, kind: 'ClusterSlot', namespace: access.namespace, name }
    const done = await whileHoldingLease(ports, slot, slotMs, pass.signal, async (_, signal) => ({
      result: await work({ ...pass, signal }),
    }))
    if (done) return done
  }
  return undefined
}
