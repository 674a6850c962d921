import { requestedAtOf } from '../../../foundations/kinds/flux.ts'
import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import { sourceNamespaceOf } from '../../../foundations/kinds/kustomization.ts'
import { undoOf, undoTextOf } from '../../../foundations/kinds/undo.ts'
import { waitingCondition } from '../../../foundations/kinds/window.ts'
import { conditionOf } from '../../../foundations/rules/conditions.ts'
import { inventoryObject } from '../../../foundations/rules/inventory.ts'
import { inventoryOf } from '../../applied-objects/run.ts'
import { markHealthy } from '../../approvals/clear-change.ts'
import { evaluationsOf } from '../../heavy-work/evaluations.ts'
import type { Halt } from '../../runtime/halt.ts'
import type { Outcome, Pass } from '../../runtime/reconciler.ts'
import { withGeneration } from '../../runtime/with-generation.ts'
import { withSpec } from '../approved-spec.ts'
import type { Context } from '../context.ts'
import type { Revision } from '../events.ts'
import { eventMetadata } from '../events.ts'
import { failure, outcomeOf } from '../failure.ts'
import { isAtRevision } from '../resolve-source.ts'
import type { KustomizationRun } from '../run.ts'
import { succeed } from '../succeed.ts'
import { connect } from '../target-cluster.ts'
import { keepApplied } from '../undo/kept-builds.ts'
import { appliedSecrets } from './applied-secrets.ts'
import { customHealth } from './custom-health.ts'
import { healthTargets } from './health.ts'
import type { OngoingCheck } from './ongoing-check.ts'
import { ongoingCheck } from './ongoing-check.ts'
import { pollHealth, stillWaiting } from './require-healthy.ts'

/**
 * Continues the health check that an earlier pass started. As in Flux, a new revision or a request waits until it ends,
 * unless settings let it cancel the check; a new spec always cancels it, as it may check something else, and so does an undo.
 * Undefined if there is none, or if an applied object is gone: then everything is applied again.
 */
export const continueHealthCheck = async (
  kustomization: Kustomization,
  pass: Pass<Kustomization>,
  context: Context,
): Promise<Outcome<Kustomization> | undefined> => {
  const { clock, settings, unfinished, units } = context
  const ongoing = await ongoingCheck(kustomization, unfinished, clock.now())
  if (!ongoing) return undefined
  pass.note({ phase: 'Health', continues: ongoing.startedAt, revision: ongoing.revision.revision })
  const trigger = await triggerOf(kustomization, ongoing, context)
  const { approved } = ongoing
  // While a change waits, there always is another revision or spec than what was approved.
  if (
    trigger &&
    ((settings.cancelHealthChecks && !approved) ||
      hasNewSpec(kustomization, ongoing) ||
      undoTextOf(kustomization) !== ongoing.undo)
  )
    return outcomeOf(kustomization, ongoing.revision)(canceled(ongoing.revision, trigger))
  const finish = async (): Promise<Outcome<Kustomization> | undefined> => {
    const applier = approved ? withSpec(kustomization, approved) : kustomization
    const { cluster, owner } = await connect(applier, context, pass)
    const run: KustomizationRun = { applier, pass, clock, cluster, owner, ...ongoing, routine: false }
    const entries = inventoryOf(kustomization)
    const targets = healthTargets(applier, entries.map(inventoryObject)) ?? []
    const custom = customHealth(applier, evaluationsOf(applier, pass, context))
    const check = { targets, since: ongoing.since, failFast: settings.failFast, custom, owner }
    const state = await pollHealth(run, check, ongoing.isNews).catch(async error => {
      const secrets = await appliedSecrets(run, ongoing.secrets, context)
      pass.note({
        secrets: () => secrets,
        objects: () => entries.map(entry => ({ metadata: inventoryObject(entry).ref })),
      })
      throw error
    })
    if (state === 'missing') return undefined
    if (state === 'waiting') return stillWaiting(run, ongoing.since).outcome
    const facts = await units.read(kustomization)
    const held = facts.guard?.held
    if (!held) await keepApplied(run, context)
    await markHealthy(applier, facts, context)
    const done = succeed(run, entries, held)
    // What they waited for may have happened in the meantime: a move, a window, an approval.
    return held || approved || ongoing.deletionsWait ? { ...done, afterMs: 0 } : done
  }
  const outcome = await finish().catch(outcomeOf(kustomization, ongoing.revision))
  if (!outcome) pass.note({ continues: undefined })
  if (outcome && approved) return stillAwaiting(kustomization, withGeneration(outcome, approved.generation))
  if (outcome?.type !== 'done' && outcome?.type !== 'failed') return outcome
  return trigger ? { ...outcome, leavesRequest: true, afterMs: 0 } : outcome
}

/** The change still waits: the pass that follows decides about it. */
const stillAwaiting = ({ status }: Kustomization, outcome: Outcome<Kustomization>): Outcome<Kustomization> => {
  const waiting = conditionOf(status?.conditions, waitingCondition)
  const conditions = { ...outcome.conditions, ...(waiting && { [waitingCondition]: waiting }) }
  return { ...outcome, conditions, ...(outcome.type !== 'waiting' && { leavesRequest: true }) }
}

/** The same for a Kustomization that is suspended or deleted: as in Flux, both wait for the end of the check. */
export const endHealthCheck = async (
  kustomization: Kustomization,
  pass: Pass<Kustomization>,
  context: Context,
): Promise<Outcome<Kustomization> | undefined> => {
  const outcome = await continueHealthCheck(kustomization, pass, context)
  if (outcome?.type === 'waiting') return outcome
  if (outcome?.type !== 'done' && outcome?.type !== 'failed') return undefined
  return { ...outcome, leavesRequest: true, afterMs: 0 }
}

/** What triggers another run than the one being checked: the Kustomization itself, or its source. */
const triggerOf = async (
  kustomization: Kustomization,
  { revision: { revision }, generation, request, undo }: OngoingCheck,
  context: Context,
): Promise<string | undefined> => {
  const { metadata, spec } = kustomization
  const isOther = metadata.generation !== generation || requestedAtOf(kustomization) !== request
  if (isOther || undoTextOf(kustomization) !== undo) return `Kustomization/${metadata.namespace}/${metadata.name}`
  if (undo !== undefined && !undoOf(kustomization)?.failed) return undefined
  const { kind, name } = spec.sourceRef
  return (await isAtRevision(kustomization, revision, context))
    ? undefined
    : `${kind}/${sourceNamespaceOf(kustomization)}/${name}`
}

/** Suspension or deletion counts as one generation, without any other change. */
const hasNewSpec = ({ metadata, spec }: Kustomization, { generation }: OngoingCheck): boolean => {
  const isToEnd = spec.suspend === true || metadata.deletionTimestamp !== undefined
  return metadata.generation! - generation > (isToEnd ? 1 : 0)
}

/** Cancels a check without a result; the next pass follows at once. The wording is Flux's. */
const canceled = (revision: Revision, trigger: string): Halt<Kustomization> => {
  const reason = 'HealthCheckCanceled'
  const message = `Health checks canceled due to new reconciliation triggered by ${trigger}`
  return failure(reason, `New reconciliation triggered by ${trigger}`, {
    afterMs: 0,
    leavesRequest: true,
    isWait: true,
    event: { severity: 'info', reason, message, metadata: eventMetadata(revision) },
  })
}
