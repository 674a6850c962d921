import type { ActionRequest } from '../../../clusters/helm-release/action.ts'
import type { Release } from '../../../engines/helm/release/release.ts'
import type { HelmRelease } from '../../../foundations/kinds/helm-release.ts'
import { pinnedCondition } from '../../../foundations/kinds/rollout.ts'
import { undoAnnotation, undone, undoneByAnnotation, undoneByText } from '../../../foundations/kinds/undo.ts'
import type { NewCondition } from '../../../foundations/rules/conditions.ts'
import { unheld } from '../../../foundations/rules/pin.ts'
import { outcomeOfHalt } from '../../runtime/halt.ts'
import type { Outcome, Pass } from '../../runtime/reconciler.ts'
import type { Restraint } from '../../windows/restraint.ts'
import { asStored, storedChart } from '../as-stored.ts'
import {
  type AttemptInputs,
  attemptInputsOf,
  contentsOfUndo,
  noteAttempt,
  readAttemptInputs,
} from '../attempt-inputs.ts'
import type { Context } from '../context.ts'
import type { Draft } from '../draft.ts'
import { failure } from '../failure.ts'
import { describeChart, describeRelease } from '../history.ts'
import { namespaceOf, releaseNameOf, storageNamespaceOf } from '../names.ts'
import { prepareWork } from '../prepare-work.ts'
import { runActions } from '../run-actions.ts'
import { snapshotOf } from '../snapshot.ts'
import { storedVersions } from '../stored-versions.ts'
import { connect } from '../target-cluster.ts'
import { attemptOf, unfinishedAction } from '../unfinished.ts'
import { contentsDigest, versionOf } from './contents-digest.ts'

interface UndonePass {
  readonly pass: Pass<HelmRelease>
  readonly restraint: Restraint
  readonly context: Context
  readonly health: ActionRequest['judge']
}

/**
 * A pass over a release that was undone: it is rolled back to these contents, and kept there. Neither its source nor its dependencies are read. What an earlier
 * pass has begun is ended first.
 */
export const keepUndone = async (draft: Draft, contents: string, it: UndonePass): Promise<Outcome<HelmRelease>> => {
  let kept = `manifests ${contents.slice(0, 100)} are to be kept`
  const outcome = await attempt(draft, contents, it, chart => {
    kept = `chart ${chart} is kept (manifests ${contents})`
  }).catch(outcomeOfHalt)
  return withUndo(outcome, draft.release, kept)
}

const attempt = async (
  draft: Draft,
  contents: string,
  { pass, restraint, context, health }: UndonePass,
  found: (chart: string) => void,
): Promise<Outcome<HelmRelease>> => {
  const { release } = draft
  const { cluster, reference } = await connect(draft, pass, context)
  const storageNamespace = storageNamespaceOf(draft.onCluster)
  const storage = context.storageOf(cluster, storageNamespace, pass.signal)
  const stored = await storedVersions({ deps: { storage }, name: releaseNameOf(release), draft, pass })
  const unfinished = unfinishedAction(draft, stored)
  const isOwn = contentsOfUndo(unfinished) === contents
  const [last] = stored
  const target = isOwn ? last : versionOf(stored, contents)
  if (!target) throw failure(draft, 'UndoFailed', describeMissing(draft, contents, stored))
  const attempted = attemptOf(target)
  found(`${attempted.chartName}@${attempted.chartVersion}`)
  pass.note({
    cluster: reference,
    revision: attempted.chartVersion,
    previousRevision: attemptOf(last!).chartVersion,
    hasNewInputs: contentsDigest(last!.release) !== contents,
  })
  draft.set({ storageNamespace })
  const inputs: AttemptInputs = { ...attemptInputsOf(release, attempted), undo: contents }
  noteAttempt(draft, (unfinished && readAttemptInputs(unfinished.inputs)) ?? inputs)
  const author = release.metadata.annotations?.[undoneByAnnotation]
  const basis = unfinished ? last! : target
  const work = await prepareWork(
    { draft, pass, context, cluster, storage, health },
    {
      ...asStored(basis, draft),
      chart: await storedChart(basis.release, release, context),
      inputs: JSON.stringify(inputs),
      newer: unfinished && !isOwn ? `HelmRelease/${namespaceOf(release)}/${release.metadata.name}` : undefined,
      isAnotherAttempt: () => false,
      ...{ restraint, author, undo: contents },
    },
  )
  return runActions(work)
}

const describeMissing = (draft: Draft, contents: string, stored: readonly { readonly release: Release }[]): string => {
  const versions = stored.map(({ release }) => {
    const snapshot = snapshotOf(release, {})
    return `${describeRelease(snapshot)} with chart ${describeChart(snapshot)} (${contentsDigest(release)})`
  })
  return `Helm keeps no version with the manifests '${contents.slice(0, 100)}' of annotation ${undoAnnotation}, so nothing is released; it keeps ${versions.join(', ') || 'none'}; to follow the source again, run: ${resumeCommand(draft.release)}`
}

const withUndo = (outcome: Outcome<HelmRelease>, release: HelmRelease, kept: string): Outcome<HelmRelease> => {
  const by = release.metadata.annotations?.[undoneByAnnotation] ?? 'an unknown user'
  const message = `${undoneByText(release)}: ${kept}; ${unheld(release)}to follow the source again, run: ${resumeCommand(release)}`
  const pinned: NewCondition = { status: 'True', reason: undone, message }
  const conditions = { ...outcome.conditions, [pinnedCondition]: pinned }
  if (outcome.type !== 'done') return { ...outcome, conditions }
  const note = `, kept by an undo of ${by}`
  return {
    ...outcome,
    conditions,
    message: outcome.message.endsWith(note) ? outcome.message : `${outcome.message}${note}`,
  }
}

const resumeCommand = ({ metadata }: HelmRelease): string =>
  `keelson resume helmrelease/${metadata.name} -n ${metadata.namespace}`
