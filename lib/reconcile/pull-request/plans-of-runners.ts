import type { HeadPlan, SkippedHead } from '../../foundations/fleet/head-plan.ts'
import { type HelmRelease, helmRelease } from '../../foundations/kinds/helm-release.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { refKey, refOf } from '../../foundations/kinds/object.ts'
import { describeTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import { ownAccess } from '../../foundations/rules/runner-access.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import type { References } from '../../hub/references/references.ts'
import { type OrderRefusal, refusalOfOrders } from '../../hub/runners/order-takers.ts'
import type { HeadWork, Orders, OrderType, ReleaseWork } from '../../hub/runners/orders.ts'
import { ApiError } from '../../hub/store/hub.ts'
import type { Waker } from '../../platform/ports/wake-ups.ts'
import type { IsElsewhere } from '../runtime/elsewhere.ts'

export interface RunnerPlanPorts {
  readonly references: Pick<References, 'clustersWith'>
  readonly isElsewhere: IsElsewhere
  readonly orders: Pick<Orders, 'place' | 'hasRoom' | 'find'>
  /** Whether any runner takes orders of a type. */
  readonly areTaken: (type: OrderType) => Promise<boolean>
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

/** A Kustomization or HelmRelease, and what its runner needs to plan it; nothing if the head does not reach it any more. */
export interface OrderedUnit {
  readonly unit: Kustomization | HelmRelease
  readonly work: () => Promise<HeadWork | ReleaseWork | undefined>
}

/** How long a comment waits for runners, in milliseconds. */
const waitMs = 3 * 60_000

/**
 * The plans of units whose clusters only runners reach, by key of the unit: each is an order of its runner. Undefined while one is on its way: nothing is held
 * open for it, so the pass returns later with the same request. Runners that don't respond in time, are away or too old fail nothing.
 */
export const plansOfRunners = async (
  units: readonly OrderedUnit[],
  request: HeadRequest,
  ports: RunnerPlanPorts,
): Promise<ReadonlyMap<string, HeadPlan> | undefined> => {
  const isLate = ports.clock.now() - request.since > waitMs
  const plans = new Map<string, HeadPlan>()
  const woken = new Set<string>()
  let isWaiting = false
  for (const { unit, work } of units) {
    const access = ownAccess(unit)
    if (!access || !(await ports.isElsewhere(unit))) continue
    const known = await knownPlan(unit, access, request, ports)
    if (typeof known === 'object' || isLate) {
      plans.set(refKey(refOf(unit)), typeof known === 'object' ? known : late)
      continue
    }
    if (known === 'open' || !(await ports.orders.hasRoom(access, typeFor(unit)))) {
      isWaiting = true
      continue
    }
    const needed = await work()
    if (!needed) continue
    isWaiting = true
    if (await place(unit, needed, access, request, ports)) woken.add(describeTarget(access))
  }
  for (const at of woken) await ports.waker?.send(at)
  return isWaiting ? undefined : plans
}

/** An order as each of the passes names it. */
const named = (unit: OrderedUnit['unit'], { uid: by, planned, since }: HeadRequest) => {
  const { uid = '' } = unit.metadata
  return { id: sha256Hex(JSON.stringify([by, planned, since, uid])).slice(0, 32), uid, by, type: typeFor(unit) }
}

const typeFor = ({ kind }: OrderedUnit['unit']): 'head' | 'release' => (kind === helmRelease.kind ? 'release' : 'head')

/** What the runner has found, or why it will find nothing; `open` while it has the order. */
const knownPlan = async (
  unit: OrderedUnit['unit'],
  access: TargetReference,
  request: HeadRequest,
  { references, orders }: RunnerPlanPorts,
): Promise<HeadPlan | 'open' | undefined> => {
  const result = await orders.find(access, named(unit, request))
  if (result === 'open') return result
  if (result) return 'found' in result ? (result.found as HeadPlan) : { ...unplanned, message: result.failed }
  return refusalOfHeads(unit, access, references)
}

/** Why the runner of a unit would get an order in vain; undefined if it would not. */
export const refusalOfHeads = async (
  unit: OrderedUnit['unit'],
  access: TargetReference,
  references: RunnerPlanPorts['references'],
): Promise<SkippedHead | undefined> => {
  const refusal = await refusalOfOrders(access, typeFor(unit), references)
  if (!refusal) return undefined
  const open = refusals[refusal.why] + (refusal.why === 'old' ? ` to plan a ${unit.kind} of a pull request` : '')
  return { type: 'skipped', open, message: refusal.message }
}

/** Places an order, also for one that has expired. Resolves to false while the runner has too many. */
const place = async (
  unit: OrderedUnit['unit'],
  work: HeadWork | ReleaseWork,
  access: TargetReference,
  request: HeadRequest,
  { orders }: RunnerPlanPorts,
): Promise<boolean> => {
  try {
    const { id, uid, by } = named(unit, request)
    await orders.place(access, { id, uid, by, ref: refOf(unit), work })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'TooManyRequests') return false
    throw error
  }
}

const refusals: Readonly<Record<OrderRefusal['why'], string>> = {
  none: 'its cluster is reached by a runner, and no Cluster has it',
  away: 'its cluster is reached by a runner, which is away',
  old: 'its cluster is reached by a runner, which is too old',
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
