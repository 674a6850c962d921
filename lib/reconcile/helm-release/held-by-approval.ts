import type { PlannedChange } from '../../clusters/apply/planned-changes.ts'
import { ClusterError } from '../../clusters/client/client.ts'
import { changesOf } from '../../clusters/helm-release/changes.ts'
import { countUnchanged, plannedRelease, releaseDisclosure } from '../../clusters/helm-release/planned-release.ts'
import type { Preview } from '../../clusters/helm-release/preview.ts'
import type { Progress } from '../../clusters/helm-release/progress.ts'
import { manifestObjects } from '../../engines/helm/release/manifest-text.ts'
import type { Release } from '../../engines/helm/release/release.ts'
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
import { withSignatures } from '../approvals/with-signatures.ts'
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
import {
  contentsToSign,
  isSigned,
  manifestsToSign,
  noteSigned,
  plannedDeletions,
  plannedHooks,
  signedDisclosure,
  unsignedVersion,
} from './signed-release.ts'
import type { Work } from './work.ts'

/** What a pass may do. */
export interface ReleaseClearance {
  /** How a pass ends that must wait for users. */
  readonly waiting?: Held<HelmRelease>
  /** Inventory ids of objects whose deletion was approved. */
  readonly deletions?: ReadonlySet<string>
  /** The plan by which the action is begun. */
  readonly plan?: PlanApproval
  /** Digest of what the plan releases, where a signature is demanded. */
  readonly contents?: string
  /** Called once the action has succeeded. */
  applied?(): Promise<void>
}

/**
 * Whether a pass may install, upgrade or undo, by the policies of the hub and what users must approve. Where that needs approval, it is planned by a preview, as `keelson plan` shows it: the objects of the chart, without its hooks. What
 * follows an action that has begun never waits. Where signatures are demanded it does: the status that leads to it is the hub's. So rollbacks and uninstallations have a plan, and each plan has the hooks. `newest`: the version that is stored.
 */
export const heldByApproval = async (
  work: Work,
  action: ActionName,
  newest: Release | undefined,
): Promise<ReleaseClearance> => {
  const { draft, pass, restraint, plans, attempt, author } = work
  const { signatures } = plans
  const { release } = draft
  if (!isPlanned(action, signatures !== undefined)) {
    const needsSigned = signatures && newest && action !== 'unlock'
    if (!needsSigned || (await isSigned(work, newest))) return {}
    return { waiting: awaiting(release, unsignedVersion(newest, action), pass) }
  }
  const policies = await policiesOf(release, restraint, plans.references)
  const { preview } = restraint
  if (!preview && !restraint.approval && policies.length === 0 && !signatures) return scheduled(work, action)
  const { changes, refused, objects, built } = await planned(work, action, newest).catch(error => {
    pass.signal.throwIfAborted()
    const reason = error instanceof ClusterError ? 'StateError' : failureReasons[action]
    throw failure(draft, reason, `The ${action} can't be planned: ${errorMessage(error)}`)
  })
  const disclosure = signatures
    ? signedDisclosure(release, built.release)
    : releaseDisclosure(objects, fieldManager, () => takesSecrets(release.spec))
  const plannedChanges = { changes, unchanged: countUnchanged(objects, changes), failures: [] }
  const judged = { unit: release, planned: plannedChanges, disclosure, restraint }
  const verdict = await judgeChanges(isRemediation(action) ? [] : policies, judged, work.deps.cluster)
  const required = withSignatures(strictestApproval(restraint.approval, verdict.approval), signatures)
  const contents = signatures && contentsToSign(built.release)
  const change = {
    ...{ unit: release, revision: `${attempt.chartName}@${attempt.chartVersion}`, author, disclosure },
    manifests: contents ? manifestsToSign(action, contents, built.definitions) : manifestsOf(work, action),
    planned: signatures ? { ...plannedChanges, changes: [...changes, ...plannedHooks(built.release)] } : plannedChanges,
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
  const isWritten = action !== 'uninstall'
  if (contents && isWritten) await noteSigned(work, contents, plan)
  await decision.remember()
  return {
    plan,
    ...(contents && isWritten && { contents }),
    deletions: new Set(changes.filter(({ action }) => action === 'deleted').map(({ ref }) => inventoryId(ref))),
    applied: () => markApplied(decision.plan, plans),
  }
}

type PlannedAction = 'install' | 'upgrade' | 'undo' | 'rollback' | 'uninstall'

const isPlanned = (action: ActionName, isSigned: boolean): action is PlannedAction =>
  action === 'install' || action === 'upgrade' || action === 'undo' || (isSigned && isRemediation(action))

const isRemediation = (action: ActionName): boolean => action === 'rollback' || action === 'uninstall'

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
  (await heldByApproval(work, 'upgrade', undefined)).waiting!

interface PlannedWork {
  readonly changes: readonly PlannedChange[]
  readonly refused: readonly string[]
  /** Those of the release as it would be stored. */
  readonly objects: readonly KubernetesObject[]
  readonly built: Pick<Preview, 'release' | 'definitions'>
}

const failureReasons = {
  ...{ install: 'InstallFailed', upgrade: 'UpgradeFailed', undo: 'RollbackFailed' },
  ...{ rollback: 'RollbackFailed', uninstall: 'UninstallFailed' },
} as const

const planned = async (work: Work, action: PlannedAction, newest: Release | undefined): Promise<PlannedWork> => {
  const { deps, pass } = work
  if (action === 'uninstall') {
    if (!newest) throw new Error('there is no version to uninstall')
    const changes = await plannedDeletions(deps.cluster, newest, pass.signal)
    return { changes, refused: [], objects: [], built: { release: newest, definitions: [] } }
  }
  const built = await previewed(work, action)
  const objects = manifestObjects(built.release.manifest ?? '') as unknown as readonly KubernetesObject[]
  return { ...plannedRelease(await changesOf(deps, built)), objects, built }
}
