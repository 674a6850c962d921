import type { PlannedChange } from '../../clusters/apply/planned-changes.ts'
import { ClusterError } from '../../clusters/client/client.ts'
import { changesOf } from '../../clusters/helm-release/changes.ts'
import { countUnchanged, plannedRelease, releaseDisclosure } from '../../clusters/helm-release/planned-release.ts'
import type { Progress } from '../../clusters/helm-release/progress.ts'
import { manifestObjects } from '../../engines/helm/release/manifest-text.ts'
import { policyDenied } from '../../foundations/kinds/change-policy.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { type PlanApproval, planApprovalOf } from '../../foundations/kinds/plan.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { inventoryId } from '../../foundations/rules/inventory.ts'
import { wasScheduled } from '../../foundations/rules/proposed-plan.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import { decideAbout, markApplied, markBegunApplied, takeScheduled } from '../approvals/plan-book.ts'
import { previewOf } from '../approvals/plan-of-change.ts'
import { judgeChanges, strictestApproval } from '../policies/judge-changes.ts'
import { policiesOf } from '../policies/policies-of.ts'
import type { Held } from '../runtime/reconciler.ts'
import { awaiting, onlyPlanned } from '../windows/waiting.ts'
import { readAttemptInputs } from './attempt-inputs.ts'
import type { ActionName } from './decide.ts'
import { failure } from './failure.ts'
import { fieldManager } from './names.ts'
import { previewed } from './previewed.ts'
import { takesSecrets } from './release-changes.ts'
import type { Work } from './work.ts'

/** What a pass may do. */
export interface ReleaseClearance {
  /** How a pass ends that must wait for users. */
  readonly waiting?: Held<HelmRelease>
  /** Inventory ids of objects whose deletion was approved. */
  readonly deletions?: ReadonlySet<string>
  /** The plan by which the action is begun. */
  readonly plan?: PlanApproval
  /** Called once the action has succeeded. */
  applied?(): Promise<void>
}

/**
 * Whether a pass may install, upgrade or undo, by the policies of the hub and what users must approve. Where that needs approval, it is planned by a preview, as `keelson plan` shows it: the objects of the chart, without its hooks. What
 * follows an action that has begun never waits.
 */
export const heldByApproval = async (work: Work, action: ActionName): Promise<ReleaseClearance> => {
  const { draft, pass, restraint, plans, attempt, author } = work
  if (action !== 'install' && action !== 'upgrade' && action !== 'undo') return {}
  const { release } = draft
  const policies = await policiesOf(release, restraint, plans.references)
  const { preview } = restraint
  if (!preview && !restraint.approval && policies.length === 0) return scheduled(work, action)
  const { changes, refused, objects } = await planned(work, action).catch(error => {
    pass.signal.throwIfAborted()
    const reason = error instanceof ClusterError ? 'StateError' : failureReasons[action]
    throw failure(draft, reason, `The ${action} can't be planned: ${errorMessage(error)}`)
  })
  const disclosure = releaseDisclosure(objects, fieldManager, () => takesSecrets(release.spec))
  const plannedChanges = { changes, unchanged: countUnchanged(objects, changes), failures: [] }
  const judged = { unit: release, planned: plannedChanges, disclosure, restraint }
  const verdict = await judgeChanges(policies, judged, work.deps.cluster)
  const required = strictestApproval(restraint.approval, verdict.approval)
  const change = {
    ...{ unit: release, revision: `${attempt.chartName}@${attempt.chartVersion}`, author, disclosure },
    ...{ manifests: manifestsOf(work, action), planned: plannedChanges },
  }
  if (preview) {
    preview({
      ...previewOf({ ...change, required }, plans.clock.now()),
      ...(refused.length > 0 && { errors: refused }),
      ...(verdict.denied !== undefined && { denied: verdict.denied }),
    })
    return { waiting: awaiting(release, onlyPlanned, pass) }
  }
  if (verdict.denied !== undefined) throw failure(draft, policyDenied, verdict.denied)
  if (!required) return scheduled(work, action)
  if (refused.length > 0) {
    const message = `the ${action} needs an approval and can't be planned: ${refused.join('; ')}`
    return { waiting: awaiting(release, { reason: 'ApprovalRequired', message }, pass) }
  }
  if (required.of === 'Deletions' && !changes.some(({ action }) => action === 'deleted')) return scheduled(work, action)
  const decision = await decideAbout({ ...change, required, isDryRun: pass.dryRun !== undefined }, plans)
  if (decision.type !== 'approved') return { waiting: awaiting(release, decision, pass) }
  const plan = planApprovalOf(decision.plan)
  pass.note({ plan })
  return {
    plan,
    deletions: new Set(changes.filter(({ action }) => action === 'deleted').map(({ ref }) => inventoryId(ref))),
    applied: () => markApplied(decision.plan, plans),
  }
}

/** Not a digest of the rendered text: a chart may make something by chance, a certificate for instance, each time. */
const manifestsOf = ({ undo, wanted }: Work, action: ActionName): string =>
  action === 'undo' ? undo! : sha256Digest(JSON.stringify(wanted))

/** The clearance of an action that needs no approval: if it has waited for a window, it has a plan, which is applied now. */
const scheduled = async (work: Work, action: ActionName): Promise<ReleaseClearance> => {
  const { draft, pass, plans } = work
  if (!wasScheduled(draft.release) || pass.dryRun) return {}
  const found = await takeScheduled(draft.release, manifestsOf(work, action), plans)
  if (!found) return {}
  const plan = planApprovalOf(found)
  pass.note({ plan })
  return { plan, applied: () => markApplied(found, plans) }
}

/** The clearance of an action that an earlier pass has begun. */
export const begunWith = ({ draft, pass, plans }: Work, { inputs }: Pick<Progress, 'inputs'>): ReleaseClearance => {
  const plan = readAttemptInputs(inputs)?.plan
  if (!plan) return {}
  pass.note({ plan })
  return { applied: () => markBegunApplied(draft.release, plan.name, plans) }
}

/** Plans a revision that is proposed, or previewed, whatever action it would need. */
export const planProposed = async (work: Work): Promise<Held<HelmRelease>> =>
  (await heldByApproval(work, 'upgrade')).waiting!

interface PlannedWork {
  readonly changes: readonly PlannedChange[]
  readonly refused: readonly string[]
  /** Those of the release as it would be stored. */
  readonly objects: readonly KubernetesObject[]
}

const failureReasons = { install: 'InstallFailed', upgrade: 'UpgradeFailed', undo: 'RollbackFailed' } as const

const planned = async (work: Work, action: keyof typeof failureReasons): Promise<PlannedWork> => {
  const { deps } = work
  const built = await previewed(work, action)
  const objects = manifestObjects(built.release.manifest ?? '') as unknown as readonly KubernetesObject[]
  return { ...plannedRelease(await changesOf(deps, built)), objects }
}
