import type { ReleaseStorage, StoredRelease } from '../../clusters/helm-release/storage.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { noPruneRules } from '../../foundations/rules/prune-rules.ts'
import { evaluationsOf } from '../heavy-work/evaluations.ts'
import { customHealth } from '../kustomization/health/custom-health.ts'
import { Halt } from '../runtime/halt.ts'
import type { Outcome, Pass } from '../runtime/reconciler.ts'
import { asStored, storedChart } from './as-stored.ts'
import { noteAttempt, readAttemptInputs } from './attempt-inputs.ts'
import type { Context } from './context.ts'
import { Draft } from './draft.ts'
import { orFailure } from './failure.ts'
import { uninstallMoved } from './finalize.ts'
import { namespaceOf, releaseNameOf, storageNamespaceOf } from './names.ts'
import { prepareWork } from './prepare-work.ts'
import { invalidExpression } from './require-dependencies.ts'
import { runActions } from './run-actions.ts'
import { type ReleaseTarget, targetCluster } from './target-cluster.ts'
import { attemptOf, unfinishedAction } from './unfinished.ts'

/**
 * Ends the unfinished action of an earlier pass on a release that has been suspended or deleted since. helm-controller reads both
 * when a reconciliation begins: what runs then is ended, and remediated if it fails (HR-161). Undefined if nothing runs. A deletion
 * does not wait for a cluster that can't be reached.
 */
export const endAction = async (
  release: HelmRelease,
  pass: Pass<HelmRelease>,
  context: Context,
): Promise<Outcome<HelmRelease> | undefined> => {
  try {
    return await end(new Draft(release, context.clock.now), pass, context)
  } catch (error) {
    pass.signal.throwIfAborted()
    if (!(error instanceof Halt)) throw error
    return release.metadata.deletionTimestamp ? undefined : (error as Halt<HelmRelease>).outcome
  }
}

const end = async (
  draft: Draft,
  pass: Pass<HelmRelease>,
  context: Context,
): Promise<Outcome<HelmRelease> | undefined> => {
  const { release } = draft
  const isMoving = !isRunning(draft) && mayBeMoving(draft)
  if (!isRunning(draft) && !isMoving) return undefined
  const { namespace, reference, ...target } = await orFailure(draft, 'RESTClientError', () =>
    targetCluster(release, context),
  )
  const cluster = await pass.confine(target.cluster)
  draft.placeIn(namespace)
  const place = isMoving ? draft.status.storageNamespace! : storageNamespaceOf(draft.onCluster)
  const name = isMoving ? draft.status.history![0]!.name : releaseNameOf(release)
  const storage = context.storageOf(cluster, place, pass.signal)
  const history = await orFailure(draft, 'StateError', () => storage.history(name))
  if (!isMoving) return endRunning(draft, pass, context, { cluster, reference, storage, history })
  return history[0]?.progress?.action === 'uninstall' ? uninstallMoved(draft, pass, context, cluster) : undefined
}

interface Found extends Pick<ReleaseTarget, 'cluster' | 'reference'> {
  readonly storage: ReleaseStorage
  readonly history: readonly StoredRelease[]
}

const endRunning = async (
  draft: Draft,
  pass: Pass<HelmRelease>,
  context: Context,
  { cluster, reference, storage, history }: Found,
): Promise<Outcome<HelmRelease> | undefined> => {
  const { release } = draft
  const [last] = history
  const unfinished = unfinishedAction(draft, history)
  // finalize continues the uninstallation that a deletion began.
  if (!last || !unfinished || (unfinished.action === 'uninstall' && release.metadata.deletionTimestamp))
    return undefined
  pass.note({ cluster: reference, revision: attemptOf(last).chartVersion })
  const begunFor = readAttemptInputs(unfinished.inputs)
  if (begunFor) noteAttempt(draft, begunFor)
  const evaluations = evaluationsOf(release, pass, context)
  const health = customHealth(release, evaluations, message => invalidExpression(draft, message))
  const itself = `HelmRelease/${namespaceOf(release)}/${release.metadata.name}`
  const work = await prepareWork(
    { draft, pass, context, cluster, storage, health },
    {
      ...asStored(last, draft),
      chart: await storedChart(last.release, release, context),
      newer: context.settings.cancelHealthChecks ? itself : undefined,
      inputs: unfinished.inputs,
      isAnotherAttempt: () => false,
      onlyEndsAction: true,
      restraint: { holds: {}, protections: [], pruneRules: noPruneRules, reachability: {} }, // it has begun
    },
  )
  const outcome = await runActions(work)
  if (outcome.type === 'failed' || (outcome.type === 'waiting' && isRunning(draft))) return outcome
  return { ...outcome, afterMs: 0, leavesRequest: true } as Outcome<HelmRelease>
}

/** Whether the status says that an action runs. It does not if the process died before it could: then it is as when helm-controller dies. */
const isRunning = (draft: Draft): boolean => /^Running '/.test(draft.condition('Reconciling')?.message ?? '')

/** Whether the release may be moving to another name or namespace: the status does not show that uninstallation (HR-037). */
const mayBeMoving = (draft: Draft): boolean => {
  const { release, status } = draft
  if (release.metadata.deletionTimestamp || draft.condition('Reconciling')?.reason !== 'Progressing') return false
  return status.history?.[0] !== undefined && status.storageNamespace !== undefined
}
