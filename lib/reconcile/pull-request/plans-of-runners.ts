import type { HeadPlan, SkippedHead } from '../../foundations/fleet/head-plan.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { refKey, refOf } from '../../foundations/kinds/object.ts'
import { describeTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import { ownAccess } from '../../foundations/rules/runner-access.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import type { References } from '../../hub/references/references.ts'
import { type OrderRefusal, refusalOfOrders } from '../../hub/runners/order-takers.ts'
import type { Orders } from '../../hub/runners/orders.ts'
import { ApiError } from '../../hub/store/hub.ts'
import type { Waker } from '../../platform/ports/wake-ups.ts'
import type { IsElsewhere } from '../runtime/elsewhere.ts'

export interface RunnerPlanPorts {
  readonly references: Pick<References, 'clustersWith'>
  readonly isElsewhere: IsElsewhere
  readonly orders: Pick<Orders, 'place' | 'find'>
  /** Wakes runners. */
  readonly waker: Waker | undefined
  readonly clock: { now(): number }
}

/** The passes that wait for the same plans. */
export interface HeadRequest {
  /** UID of the PullRequest. */
  readonly uid: string
  /** The heads and what they are compared with. */
  readonly planned: string
  /** When the first of the passes began, in milliseconds since the epoch. */
  readonly since: number
}

/** How long a comment waits for runners, in milliseconds. */
const waitMs = 3 * 60_000

/**
 * The plans of units whose clusters only runners reach, by key of the unit: each is an order of its runner. Undefined while one is on its way: nothing is held
 * open for it, so the pass returns later with the same request. Runners that don't respond in time, are away or too old fail nothing.
 */
export const plansOfRunners = async (
  units: readonly { readonly unit: Kustomization; readonly artifact: Artifact }[],
  request: HeadRequest,
  ports: RunnerPlanPorts,
): Promise<ReadonlyMap<string, HeadPlan> | undefined> => {
  const isLate = ports.clock.now() - request.since > waitMs
  const plans = new Map<string, HeadPlan>()
  const woken = new Set<string>()
  let isWaiting = false
  for (const { unit, artifact } of units) {
    const access = ownAccess(unit)
    if (!access || !(await ports.isElsewhere(unit))) continue
    const known = await knownPlan(unit, access, request, ports)
    if (typeof known === 'object' || isLate) {
      plans.set(refKey(refOf(unit)), typeof known === 'object' ? known : late)
      continue
    }
    isWaiting = true
    if (known !== 'open' && (await place(unit, artifact, access, request, ports))) woken.add(describeTarget(access))
  }
  for (const at of woken) await ports.waker?.send(at)
  return isWaiting ? undefined : plans
}

/** An order as each of the passes names it. */
const named = ({ metadata: { uid = '' } }: Kustomization, { uid: by, planned, since }: HeadRequest) => ({
  ...{ id: sha256Hex(JSON.stringify([by, planned, since, uid])).slice(0, 32), uid, by },
  type: 'head' as const,
})

/** What the runner has found, or why it will find nothing; `open` while it has the order. */
const knownPlan = async (
  unit: Kustomization,
  access: TargetReference,
  request: HeadRequest,
  { references, orders }: RunnerPlanPorts,
): Promise<HeadPlan | 'open' | undefined> => {
  const result = await orders.find(access, named(unit, request))
  if (result === 'open') return result
  if (result) return 'found' in result ? (result.found as HeadPlan) : { ...unplanned, message: result.failed }
  const refusal = await refusalOfOrders(access, 'head', references)
  return refusal && { type: 'skipped', open: refusals[refusal.why], message: refusal.message }
}

/** Places an order, also for one that has expired. Resolves to false while the runner has too many. */
const place = async (
  unit: Kustomization,
  artifact: Artifact,
  access: TargetReference,
  request: HeadRequest,
  { orders }: RunnerPlanPorts,
): Promise<boolean> => {
  try {
    const { id, uid, by } = named(unit, request)
    await orders.place(access, { id, uid, by, ref: refOf(unit), work: { type: 'head', artifact } })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'TooManyRequests') return false
    throw error
  }
}

const refusals: Readonly<Record<OrderRefusal['why'], string>> = {
  none: 'its cluster is reached by a runner, and no Cluster has it',
  away: 'its cluster is reached by a runner, which is away',
  old: 'its cluster is reached by a runner, which is too old to plan pull requests',
  unwilling: 'its cluster is reached by a runner, which does not plan pull requests',
}

const late: SkippedHead = {
  type: 'skipped',
  open: 'its cluster is reached by a runner, which has not responded in time',
}

/** The reason may quote what only readers of the unit may see. */
const unplanned: SkippedHead = {
  type: 'skipped',
  open: 'its runner can not plan it: the PullRequest on the hub says why',
}
