import type { HeadFinding } from '../../foundations/fleet/head-plan.ts'
import { contentIdOf } from '../../foundations/kinds/announced-version.ts'
import { artifactOf } from '../../foundations/kinds/artifact.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import { plannedCounts } from '../../foundations/kinds/plan.ts'
import type { Awaited, PullRequest, UnitPlan } from '../../foundations/kinds/pull-request.ts'
import { describeTarget } from '../../foundations/kinds/target-reference.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import { headMs } from '../../hub/runners/orders.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Outcome, Pass, Reconciler } from '../runtime/reconciler.ts'
import { type DescribedPlans, describePlans, failuresIn, summaryOf, totalOf } from './describe-plans.ts'
import { dropHeads, type FetchedHead, type FetchPorts, fetchHeads } from './fetch-heads.ts'
import { limits, type PlannedUnit, type PlanUnitPorts, planUnits } from './plan-units.ts'
import { type OrderedUnit, plansOfRunners, type RunnerPlanPorts } from './plans-of-runners.ts'
import { NotPublished, type PublishPorts, publisherOf } from './publish.ts'
import { pullRequestAddress } from './pull-request-address.ts'
import { awaitedReleases, releasesOfRunners } from './releases-of-runners.ts'
import { type KustomizationAtHead, unitsAtHeads } from './units-at-heads.ts'

export interface PullRequestPorts extends FetchPorts, PlanUnitPorts, RunnerPlanPorts, PublishPorts {
  readonly references: PlanUnitPorts['references']
  readonly clock: Clock
}

const hour = 60 * 60_000

/** Between two plans of a pull request, whatever is pushed to it in between. */
const minGapMs = 20_000
/** One that was not planned for so long is forgotten: the event of its end may have been lost. */
const maxAgeMs = 30 * 24 * hour
/** A fetched head enqueues the pull request; one that can't be fetched, and what runners have planned, is found by polling. */
const pollMs = 3_000

/** Plans the heads of pull requests, and says in their forges what would change. Applies nothing. */
export const pullRequestReconciler = (ports: PullRequestPorts): Reconciler<PullRequest> => ({
  ...pullRequestAddress,
  manager: 'keelson',
  intervalOf: () => 24 * hour,
  passTimeoutOf: () => 10 * 60_000,
  reconcile: (request, pass) => attempt(request, pass, ports).catch(outcomeOf),
  finalize: async request => {
    await dropHeads(request, ports)
    return undefined
  },
})

const outcomeOf = (error: unknown): Outcome<PullRequest> => {
  if (!(error instanceof NotPublished)) throw error
  const { message, isTerminal } = error
  return {
    type: isTerminal ? 'stalled' : 'failed',
    reason: 'PublishingFailed',
    message,
    ...(isTerminal && { afterMs: hour }),
  }
}

const attempt = async (
  request: PullRequest,
  pass: Pass<PullRequest>,
  ports: PullRequestPorts,
): Promise<Outcome<PullRequest>> => {
  const { spec, status } = request
  const now = ports.clock.now()
  const plannedAt = status?.plannedAt === undefined ? undefined : Date.parse(status.plannedAt)
  if (spec.state === 'Closed' || (plannedAt !== undefined && now - plannedAt > maxAgeMs)) {
    await ports.hub.delete(refOf(request), {})
    return { type: 'resting', reason: 'Closed', message: 'the pull request is closed' }
  }
  await pass.progress(`fetching ${spec.ref} at ${spec.commit.slice(0, 12)}`, { fleeting: true })
  const heads = await fetchHeads(request, ports)
  if (!heads) return { type: 'waiting', afterMs: pollMs }
  const planned = heads.map(describeHead).join(', ')
  if (status?.planned === planned && !isReconcileRequested(request))
    return { type: 'done', reason: 'Planned', message: messageOf(request), routine: true }
  if (plannedAt !== undefined && now - plannedAt < minGapMs)
    return { type: 'waiting', afterMs: minGapMs - (now - plannedAt), leavesRequest: true }

  const publisher = await publisherOf(
    request,
    heads.map(({ source }) => source.spec.url),
    ports,
  )
  const commit = commitOf(heads) ?? spec.commit
  const isKnown = status?.awaited?.planned === planned && now - Date.parse(status.awaited.since) < headMs
  const awaited: Awaited = isKnown ? status.awaited : { planned, since: timestamp(now) }
  if (!isKnown) await publisher.setStatus({ commit, state: 'pending', description: 'Planning' })
  await pass.progress(`planning ${commit.slice(0, 12)}`)
  const units = await unitsAtHeads(heads, ports.references)
  const head = { uid: request.metadata.uid ?? '', planned, since: Date.parse(awaited.since) }
  const begun = units.slice(0, limits.units)
  const releases = await releasesOfRunners({ request, awaited, heads, units: begun }, ports, pass.signal)
  const ofRunners = await plansOfRunners([...begun.map(orderedUnit), ...releases], head, ports)
  if (!ofRunners) {
    const found = { ...awaited, releases: awaitedReleases(releases) }
    return { type: 'waiting', afterMs: pollMs, leavesRequest: true, status: { awaited: found } }
  }
  const { reached, left } = await planUnits(heads, { units, ofRunners }, pass, ports)
  const unfetched = heads.flatMap(({ source, reason }) => (reason ? [{ source: source.metadata.name, reason }] : []))
  const plans: DescribedPlans = { commit, base: spec.base, reached, left, unfetched }
  const failed = failuresIn(reached) + unfetched.length
  const isNoted = status?.comment !== undefined || reached.length > 0 || failed > 0 || left > 0
  const text = describePlans(plans, { marker: publisher.marker, ...publisher.form })
  const comment = isNoted ? await publisher.comment(text, status?.comment) : undefined
  const description = summaryOf(plans)
  await publisher.setStatus({ commit, state: failed > 0 ? 'failure' : 'success', description })
  return {
    type: 'done',
    reason: 'Planned',
    message: description,
    status: {
      ...{ head: commit, planned, units: reached.length, failed, summary: plannedCounts(totalOf(reached)) },
      plans: reached.slice(0, maxPlans).map(describeUnit),
      ...{ comment: comment ?? null, awaited: null },
      plannedAt: timestamp(ports.clock.now()),
    },
  }
}

const maxPlans = 100

const orderedUnit = ({ unit, artifact }: KustomizationAtHead): OrderedUnit => ({
  unit,
  work: async () => ({ type: 'head', artifact }),
})

const describeHead = ({ source, artifact, reason }: FetchedHead): string =>
  `${source.metadata.name}: ${artifactOf(source)?.revision ?? 'none'} -> ${artifact?.revision ?? reason}`

const commitOf = (heads: readonly FetchedHead[]): string | undefined =>
  heads.map(({ artifact }) => contentIdOf(artifact?.revision)).find(commit => commit !== '')

const messageOf = ({ status }: PullRequest): string =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? 'planned'

const describeUnit = ({ kind, namespace, name, plan }: PlannedUnit): UnitPlan => {
  const unit = { kind, namespace, name }
  if (plan.type === 'failed') return { ...unit, message: plan.message.slice(0, 1000) }
  if (plan.type === 'skipped') return { ...unit, message: `not planned: ${plan.message ?? plan.open}`.slice(0, 1000) }
  const problems = [...plan.refused, ...plan.policies.map(describeFinding)]
  return {
    ...unit,
    ...(plan.cluster && { cluster: describeTarget(plan.cluster) }),
    summary: plannedCounts(plan.counts),
    ...(problems.length > 0 && { message: problems.join('\n').slice(0, 1000) }),
  }
}

const describeFinding = ({ policy, action, message }: HeadFinding): string =>
  `ChangePolicy ${policy} ${action === 'Deny' ? 'denies the change' : 'requires an approval'}: ${message}`
