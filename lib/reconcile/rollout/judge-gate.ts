import { CelError } from '../../engines/cel/cel-error.ts'
import { expression } from '../../engines/cel/expression.ts'
import { durationMs } from '../../foundations/kinds/duration.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import type { RolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { type GateSpec, gateNameOf, gateTypeOf } from '../../foundations/kinds/rollout-stages.ts'
import type { GateResult } from '../../foundations/rollout/world.ts'
import type { ApprovalState } from '../../foundations/rules/approvals.ts'
import { conditionOf, timestamp } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { digestOfRun, stageApproval } from '../../foundations/rules/stage-approval.ts'
import { holdsAt } from '../../foundations/rules/windows.ts'
import type { ApprovePlans } from '../approvals/plan-book.ts'
import type { Evaluations } from '../heavy-work/evaluations.ts'
import type { RunApprovals } from './observe.ts'
import type { QueryGate } from './query-gate.ts'
import { plansOfStage, statusOfPlans } from './stage-plans.ts'
import type { PlacedCluster, PlacedStage } from './world-of.ts'

export interface GatePorts {
  readonly query: QueryGate
  readonly approvals: RunApprovals
  readonly approvePlans: ApprovePlans
}

/** What a gate is judged by. */
export interface GateContext {
  readonly run: RolloutRun
  readonly stage: PlacedStage
  /** The cluster, for a gate of each cluster; as `NAMESPACE/NAME` if there is an object of it. */
  readonly cluster?: PlacedCluster
  /** Those whose units and objects count. */
  readonly over: readonly PlacedCluster[]
  /** From when on waiting counts, in milliseconds since the epoch. */
  readonly since: number
  /** From when on decisions of users count. */
  readonly decidedSince: number
  readonly now: number
  readonly evaluations: Evaluations
  readonly ports: GatePorts
  readonly signal: AbortSignal
}

export type Judged = Omit<GateResult, 'name'>

/**
 * Whether a gate is open, and why not. A gate that can't be judged now is closed with the reason; errors of the hub are
 * thrown.
 */
export const judgeGate = async (gate: GateSpec, context: GateContext): Promise<GateResult> => ({
  name: gateNameOf(gate),
  ...(await judge(gate, context)),
})

const judge = async (gate: GateSpec, context: GateContext): Promise<Judged> => {
  switch (gateTypeOf(gate)) {
    case 'wait':
      return opensAt(context.since + durationMs(gate.wait!), context.now)
    case 'healthyFor':
      return healthy(durationMs(gate.healthyFor!), context)
    case 'windows':
      return windowed(gate, context)
    case 'approval':
      return approved(gate, context)
    case 'expression':
      return expressed(gate.expression!, dataOf(context), context)
    case 'query':
      return queried(gate, context)
  }
}

const closed = (message: string, until?: number): Judged => ({
  state: 'closed',
  message,
  ...(until !== undefined && { until }),
})

const opensAt = (time: number, now: number): Judged =>
  now >= time ? { state: 'open', message: 'the time is over' } : closed(`opens at ${timestamp(time)}`, time)

/** All units have been ready for so long. A change of Ready in between counts, also one that no pass of the Rollout has seen. */
const healthy = (ms: number, { over, since, now }: GateContext): Judged => {
  const units = over.filter(({ offline }) => !offline).flatMap(({ members }) => members)
  const conditions = units.map(readyOf)
  const unready = conditions.filter(condition => condition?.status !== 'True').length
  if (unready > 0) return closed(`${unready} of ${units.length} units are not ready`)
  return opensAt(Math.max(since, ...conditions.map(transitionOf)) + ms, now)
}

/** The Ready condition of a unit; undefined before its first pass. */
export const readyOf = ({ status }: KubernetesObject): Condition | undefined =>
  conditionOf((status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions, 'Ready')

/** In milliseconds since the epoch. */
export const transitionOf = (condition: Condition | undefined): number =>
  condition ? Date.parse(condition.lastTransitionTime) : 0

/** All units of a stage have plans, and users have approved them as one: only then each plan says so, which lets its unit apply exactly that. */
const plansApproved = async ({ approval }: GateSpec, context: GateContext): Promise<Judged> => {
  const { run, stage, now, ports, signal } = context
  const { offline = 'Skip', progressDeadline = '10m' } = run.spec
  const { made, refused, missing } = plansOfStage(stage, run, offline)
  const units = made.length + refused.length + missing.length
  if (units === 0) return { state: 'open', message: 'no unit of the stage would change' }
  const [problem] = refused
  if (problem) {
    const { key, plan } = problem
    const message = `${plan.isRejected ? '' : 'no plan of '}${key}: ${plan.message}`
    const until = plan.since + durationMs(progressDeadline)
    return plan.isRejected || now >= until ? { state: 'failed', message } : closed(message, until)
  }
  if (missing.length > 0)
    return closed(`waits for plans of ${missing.length} of ${units} units: ${keysOf(missing)}`, now + plansPollMs)
  const { digest, summary } = statusOfPlans(made)
  const needs = { stage: stage.name, count: approval!.minApprovals ?? 1, since: 0, digest }
  const judged = describeApproval(stageApproval(await ports.approvals(run), run, needs, now), digest)
  if (judged.state !== 'open')
    return {
      ...judged,
      message: `${judged.message} of ${units === 1 ? '1 plan' : `${units} plans`} (${summary || 'no changes'}), digest ${digest}`,
    }
  const changed = await ports.approvePlans(made, judged.by, signal)
  return changed.length === 0 ? judged : closed(`waits for new plans of ${changed.slice(0, maxKeys).join(', ')}`)
}

/** When to count plans again that units are making, in milliseconds. */
const plansPollMs = 5_000
const maxKeys = 5
const keysOf = (units: readonly { readonly key: string }[]): string =>
  units
    .slice(0, maxKeys)
    .map(({ key }) => key)
    .join(', ') + (units.length > maxKeys ? ` and ${units.length - maxKeys} more` : '')

const approved = async (gate: GateSpec, context: GateContext): Promise<Judged> => {
  const { approval } = gate
  const { run, stage, cluster, decidedSince, now, ports } = context
  if (approval?.of === 'Plans') return plansApproved(gate, context)
  const since = Math.floor(decidedSince / 1000) * 1000
  const subject = { stage: stage.name, ...(cluster && { cluster: cluster.name }) }
  const needs = { ...subject, count: approval!.minApprovals ?? 1, since, digest: digestOfRun(run) }
  return describeApproval(stageApproval(await ports.approvals(run), run, needs, now), needs.digest)
}

const describeApproval = (found: ApprovalState, digest: string): Judged & { readonly by: readonly string[] } => {
  if (found.state === 'Rejected') {
    const why = found.comment === undefined ? '' : `: ${found.comment}`
    return { state: 'failed', message: `rejected by ${found.rejectedBy}${why}`, by: [] }
  }
  const by = found.approvedBy.length > 0 ? `approved by ${found.approvedBy.join(', ')}` : ''
  if (found.state === 'Approved') return { state: 'open', message: by, by: found.approvedBy }
  const { missing } = found
  const message = `waits for ${missing === 1 ? 'an approval' : `${missing} approvals`}${by && `, ${by}`}`
  return { ...closed(message), digest, by: found.approvedBy }
}

const windowed = ({ windows = [] }: GateSpec, { run, now }: GateContext): Judged => {
  const owner = `RolloutRun ${run.metadata.namespace}/${run.metadata.name}`
  const hold = holdsAt([{ owner, windows }], now).Changes
  return hold ? closed(hold.why, hold.until) : { state: 'open', message: 'in a window' }
}

const dataOf = ({ over }: GateContext) => ({
  units: over.flatMap(({ members }) => members),
  clusters: over.flatMap(({ object }) => object ?? []),
})

const expressed = async (
  text: string,
  data: Readonly<Record<string, unknown>>,
  context: GateContext,
): Promise<Judged> => {
  try {
    const isOpen = await context.evaluations.evaluateBoolean(expression(text), data)
    return isOpen ? { state: 'open', message: 'its expression is true' } : closed(`its expression is not true: ${text}`)
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    return error.stage === 'evaluation'
      ? closed(error.messageWithoutValues)
      : { state: 'failed', message: error.message }
  }
}

const queried = async ({ query }: GateSpec, context: GateContext): Promise<Judged> => {
  const { url, expression: text, interval = '1m' } = query!
  const intervalMs = durationMs(interval)
  const until = context.now + intervalMs
  try {
    const response = await context.ports.query(addressFor(url, context), context.signal, intervalMs)
    const result = await expressed(text, { ...response }, context)
    return result.state === 'closed' ? { ...result, until } : result
  } catch (error) {
    context.signal.throwIfAborted()
    return closed(`the query failed: ${errorMessage(error)}`, until)
  }
}

/** The URL for a cluster: its names in place of `{cluster}` and `{namespace}`, as in templates of RFC 6570. */
const addressFor = (url: string, { cluster }: GateContext): string => {
  if (!cluster) return url
  const { name = cluster.name, namespace = '' } = cluster.object?.metadata ?? {}
  return url
    .replaceAll('{cluster}', () => encodeURIComponent(name))
    .replaceAll('{namespace}', () => encodeURIComponent(namespace))
}
