import type { Disclosure } from '../../clusters/apply/field-diff.ts'
import type { Owner } from '../../clusters/apply/owner.ts'
import { type PlannedChanges, planDeletions } from '../../clusters/apply/planned-changes.ts'
import type { ClusterClient } from '../../clusters/client/client.ts'
import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { policyDenied } from '../../foundations/kinds/change-policy.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { planApprovalOf } from '../../foundations/kinds/plan.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { inventoryId } from '../../foundations/rules/inventory.ts'
import { wasScheduled } from '../../foundations/rules/proposed-plan.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import { judgeChanges, strictestApproval } from '../policies/judge-changes.ts'
import { policiesOf } from '../policies/policies-of.ts'
import type { Held, Pass } from '../runtime/reconciler.ts'
import type { UnitFacts, UnitMemory } from '../runtime/unit-memory.ts'
import { wasApplied } from '../windows/applied-before.ts'
import { isOnlyPlanned, type Restraint } from '../windows/restraint.ts'
import { awaiting, onlyPlanned } from '../windows/waiting.ts'
import {
  decideAbout,
  markApplied,
  markBegunApplied,
  type PlanDecision,
  type PlanPorts,
  takeScheduled,
} from './plan-book.ts'
import { previewOf } from './plan-of-change.ts'
import { type SignatureDemand, specDigest } from './signatures.ts'
import { withSignatures } from './with-signatures.ts'

/** What a pass may apply. */
export interface Clearance<T extends KubernetesObject> {
  /** The outcome of a pass that must wait. */
  readonly waiting?: Held<T>
  /** Inventory ids of objects whose deletion was approved. */
  readonly deletions?: ReadonlySet<string>
  /** A runner demands signatures: it deletes nothing but `deletions`. */
  readonly isSigned?: boolean
  /** Policies have judged the change, or a signature was demanded: a later one may need an approval because of them. */
  readonly isJudged?: boolean
  /** Called once everything is applied. */
  applied?(): Promise<void>
}

type Unit = Parameters<typeof wasApplied>[0]

/** A build that a unit is about to apply. */
export interface ChangeToClear<T extends Unit> {
  readonly unit: T
  readonly pass: Pick<Pass<T>, 'dryRun' | 'event' | 'note'>
  readonly cluster: ClusterClient
  readonly reference?: TargetReference | undefined
  /** Digest of the build. */
  readonly digest: string
  readonly revision: string
  /** Of the revision. */
  readonly author?: string | undefined
  readonly disclosure: Disclosure
  /** What applying it would change. */
  plan(): Promise<PlannedChanges>
  /** The end of a pass that may not apply it. */
  failure(reason: string, message: string): Error
}

/**
 * Whether a pass may apply a build, by the policies of the hub and what users must approve. A change that needs approval is planned, and waits until the plan is approved: as long as that plan would
 * still be made today. A change whose apply has begun is completed, and drift is corrected, without another plan. Where signatures are demanded, nothing that the hub says of an
 * earlier pass counts: every change needs an approval, but for what the runner itself has noted as approved.
 */
export const clearChange = async <T extends Unit>(
  { unit, pass, cluster, reference, digest, revision, author, disclosure, plan, failure }: ChangeToClear<T>,
  restraint: Restraint,
  ports: PlanPorts & { readonly units: UnitMemory },
): Promise<Clearance<T>> => {
  const { preview } = restraint
  const { signatures } = ports
  const isProposed = isOnlyPlanned(restraint)
  if (!isProposed && !signatures && wasApplied(unit, digest, restraint)) {
    if (wasScheduled(unit) && !pass.dryRun) await takeScheduled(unit, '', ports)
    return {}
  }
  const unasked = () => scheduled({ unit, pass, digest }, ports)
  const policies = await policiesOf(unit, restraint, ports.references)
  if (!preview && !restraint.approval && policies.length === 0 && !signatures) return unasked()
  const facts = await ports.units.read(unit)
  const isBegun = signatures ? isSigned(unit, digest, facts) : isCleared(unit, digest, facts)
  if (!isProposed && isBegun) {
    const { plan: begun, signed } = facts.approved ?? {}
    pass.note({ plan: begun })
    return {
      ...(begun && { applied: () => markBegunApplied(unit, begun.name, ports) }),
      ...(signatures && { isSigned: true, isJudged: true, deletions: new Set(signed?.deletions) }),
    }
  }
  const planned = await plan()
  if (preview) {
    // What the unit has applied before is repaired without an approval.
    const judged = { unit, planned, disclosure, restraint }
    const isRepair = signatures ? isBegun : wasApplied(unit, digest)
    const verdict = isRepair ? undefined : await judgeChanges(policies, judged, cluster)
    const required = verdict && withSignatures(strictestApproval(restraint.approval, verdict.approval), signatures)
    const change = { unit, cluster: reference, revision, author, manifests: digest, planned, disclosure, required }
    const errors = planned.failures.map(({ message }) => message)
    preview({
      ...previewOf(change, ports.clock.now()),
      ...(errors.length > 0 && { errors }),
      ...(verdict?.denied !== undefined && { denied: verdict.denied }),
    })
    return { waiting: awaiting(unit, onlyPlanned, pass) }
  }
  // As the apply would fail: with `on-refusal: continue`, that would apply the rest.
  const [refusal] = planned.failures
  if (refusal) throw failure('ReconciliationFailed', planned.failures.map(({ message }) => message).join('\n'))
  const verdict = await judgeChanges(policies, { unit, planned, disclosure, restraint }, cluster)
  if (verdict.denied !== undefined) throw failure(policyDenied, verdict.denied)
  const required = withSignatures(strictestApproval(restraint.approval, verdict.approval), signatures)
  const isJudged = policies.length > 0 || signatures !== undefined
  if (!required) return { ...(await unasked()), isJudged }
  const removed = planned.changes.filter(({ action }) => action === 'deleted' || action === 'recreated')
  if (required.of === 'Deletions' && removed.length === 0) return { ...(await unasked()), isJudged }
  const decision = await decideAbout(
    {
      ...{ unit, cluster: reference, revision, author, manifests: digest, planned },
      ...{ disclosure, required, isDryRun: pass.dryRun !== undefined },
    },
    ports,
  )
  if (decision.type !== 'approved') return { waiting: awaiting(unit, decision, pass) }
  const deletions = deletionsOf(planned)
  await begin(unit, { digest, facts, deletions, decision }, pass, ports)
  return {
    isJudged,
    deletions: new Set(deletions),
    ...(signatures && { isSigned: true }),
    applied: () => markApplied(decision.plan, ports),
  }
}

/** Notes that a change is approved, before anything of it is made. */
const begin = async <T extends Unit>(
  unit: T,
  {
    digest,
    facts,
    deletions,
    decision: { plan: made, remember },
  }: {
    readonly digest: string
    readonly facts: UnitFacts
    readonly deletions: readonly string[]
    readonly decision: Extract<PlanDecision, { type: 'approved' }>
  },
  pass: Pick<Pass<T>, 'note'>,
  { units, signatures }: Pick<PlanPorts, 'signatures'> & { readonly units: UnitMemory },
): Promise<void> => {
  const plan = planApprovalOf(made)
  pass.note({ plan })
  const signed = signatures && { spec: specDigest(unit), deletions }
  const approved = { build: digest, generation: generationOf(unit), plan, ...(signed && { signed }) }
  await units.write(unit, { ...facts, approved })
  await remember()
}

const deletionsOf = ({ changes }: Pick<PlannedChanges, 'changes'>): readonly string[] =>
  changes.filter(({ action }) => action === 'deleted').map(({ ref }) => inventoryId(ref))

/** What takes the place of a build when all objects of a unit are deleted with it. */
const deletionDigest = sha256Digest('the deletion of the unit')

/** What a deleted unit would take along. */
interface DeletionToClear<T extends Unit> extends Pick<ChangeToClear<T>, 'unit' | 'cluster' | 'reference'> {
  readonly pass: ChangeToClear<T>['pass'] & Pick<Pass<T>, 'signal'>
  readonly owner: Owner
  readonly entries: readonly InventoryEntry[]
}

/** A plan of deletions names objects, and nothing in them. */
const namesOnly: Disclosure = { isHidden: () => false, masked: text => text }

/**
 * Which of its objects a deleted unit may take along. Where signatures are demanded, that needs an approval as any other change: otherwise a hub that is taken over could delete
 * everything.
 */
export const clearDeletion = async <T extends Unit>(
  { unit, pass, cluster, reference, owner, entries }: DeletionToClear<T>,
  signatures: SignatureDemand,
  ports: PlanPorts & { readonly units: UnitMemory },
): Promise<{ readonly waiting: Held<T> } | { readonly cleared: readonly InventoryEntry[] }> => {
  const changes = await planDeletions(cluster, entries, { owner, signal: pass.signal })
  const planned = { changes, unchanged: 0, failures: [] }
  const deletions = deletionsOf(planned)
  const cleared = (ids: ReadonlySet<string>) => ({ cleared: entries.filter(({ id }) => ids.has(id)) })
  const facts = await ports.units.read(unit)
  const { build, signed } = facts.approved ?? {}
  const allowed = new Set(build === deletionDigest ? signed?.deletions : [])
  if (deletions.every(id => allowed.has(id))) return cleared(allowed)
  const required = withSignatures(undefined, signatures)
  const decision = await decideAbout(
    {
      ...{ unit, cluster: reference, revision: 'of the deletion', manifests: deletionDigest, planned, required },
      disclosure: namesOnly,
      isDryRun: pass.dryRun !== undefined,
    },
    ports,
  )
  if (decision.type !== 'approved') return { waiting: awaiting(unit, decision, pass) }
  await begin(unit, { digest: deletionDigest, facts, deletions, decision }, pass, ports)
  return cleared(new Set(deletions))
}

/** The clearance of a change that needs no approval: if it has waited for a window, it has a plan, which is applied now. */
const scheduled = async <T extends Unit>(
  { unit, pass, digest }: Pick<ChangeToClear<T>, 'unit' | 'pass' | 'digest'>,
  ports: PlanPorts & { readonly units: UnitMemory },
): Promise<Clearance<T>> => {
  if (!wasScheduled(unit) || pass.dryRun) return {}
  const found = await takeScheduled(unit, digest, ports)
  if (!found) return {}
  const plan = planApprovalOf(found)
  pass.note({ plan })
  const facts = await ports.units.read(unit)
  await ports.units.write(unit, { ...facts, approved: { build: digest, generation: generationOf(unit), plan } })
  return { applied: () => markApplied(found, ports) }
}

/** Marks the plan by which an earlier pass has begun to apply the unit, if there was one: its objects are healthy now. */
export const markHealthy = async (unit: KubernetesObject, { approved }: UnitFacts, ports: PlanPorts): Promise<void> => {
  if (approved?.plan && approved.generation === generationOf(unit))
    await markBegunApplied(unit, approved.plan.name, ports)
}

const generationOf = ({ metadata }: KubernetesObject): number => metadata.generation ?? 0

/** The same where signatures are demanded: by a signed one, whatever the hub says of generations. */
const isSigned = (unit: KubernetesObject, digest: string, { approved }: UnitFacts): boolean =>
  approved?.build === digest && approved.signed?.spec === specDigest(unit)

/** Whether the apply of this build, for this spec, has begun with an approval. */
const isCleared = (unit: KubernetesObject, digest: string, { approved }: UnitFacts): boolean =>
  approved?.build === digest && approved.generation === generationOf(unit)
