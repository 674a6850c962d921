import { cachedHistory } from '../../clusters/helm-release/cached-history.ts'
import type { Ended, Progress } from '../../clusters/helm-release/progress.ts'
import { type ReleaseStorage, releaseStorage } from '../../clusters/helm-release/storage.ts'
import { valuesDigest } from '../../engines/helm/release-values.ts'
import { RenderCache } from '../../engines/helm/render-cache.ts'
import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import { authorOf } from '../../foundations/kinds/artifact.ts'
import { intervalOf, resetAtAnnotation } from '../../foundations/kinds/flux.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { undoOf } from '../../foundations/kinds/undo.ts'
import { evaluationsOf } from '../heavy-work/evaluations.ts'
import { customHealth } from '../kustomization/health/custom-health.ts'
import { outcomeOfHalt } from '../runtime/halt.ts'
import type { Outcome, Pass, Reconciler } from '../runtime/reconciler.ts'
import { unitMemory } from '../runtime/unit-memory.ts'
import { planning } from '../windows/plan-proposed.ts'
import { previewing } from '../windows/preview.ts'
import { isOnlyPlanned, type Restraint } from '../windows/restraint.ts'
import { rolloutsOfUnits } from '../windows/rolled-out.ts'
import { restrained } from '../windows/waiting.ts'
import { attemptInputsOf, isAnotherAttempt, noteAttempt, readAttemptInputs } from './attempt-inputs.ts'
import { applyChartTemplate } from './chart-template.ts'
import { composeValues } from './compose-values.ts'
import type { Context, HelmReleasePorts } from './context.ts'
import { Draft } from './draft.ts'
import { dryRunContexts } from './dry-run-context.ts'
import { endAction } from './end-action.ts'
import { orFailure } from './failure.ts'
import { finalize, uninstallMoved } from './finalize.ts'
import { planProposed } from './held-by-approval.ts'
import { moveHeldByGuard } from './held-by-guard.ts'
import { heldRelease } from './held-by-windows.ts'
import { helmReleaseAddress } from './helm-release-address.ts'
import { type LoadedChart, loadChart } from './load-chart.ts'
import { releaseNameOf, releaseNamespaceOf, storageNamespaceOf, timeoutOf } from './names.ts'
import { newerThan } from './newer-than.ts'
import { prepareWork } from './prepare-work.ts'
import { clearFailures } from './report.ts'
import { invalidExpression, requireDependencies } from './require-dependencies.ts'
import { resolveSource } from './resolve-source.ts'
import { runActions, takeUpRequest } from './run-actions.ts'
import { defaultHelmReleaseSettings, type HelmReleaseSettings } from './settings.ts'
import { digests } from './summarize.ts'
import { connect } from './target-cluster.ts'
import { keepUndone } from './undo/keep-undone.ts'
import { unfinishedAction } from './unfinished.ts'

/** Keeps a chart installed on a cluster, like helm-controller. */
export const helmReleaseReconciler = (
  ports: HelmReleasePorts,
  settings: HelmReleaseSettings = defaultHelmReleaseSettings,
): Reconciler<HelmRelease> => {
  const context: Context = {
    ...{ ...ports, settings },
    units: unitMemory(ports.objects),
    charts: new RecentlyUsed(maxChartBytes),
    renderings: new RenderCache(),
    unchangedCharts: new RecentlyUsed(maxUnchangedCharts),
    storageOf: (cluster, namespace, signal) =>
      cachedHistory(releaseStorage(cluster, namespace, ports.clock, { signal })),
  }
  const ofDryRun = dryRunContexts(context)
  const reconcile = (release: HelmRelease, pass: Pass<HelmRelease>, restraint: Restraint) =>
    attempt(release, pass, restraint, pass.dryRun ? ofDryRun(pass.dryRun) : context).catch(outcomeOfHalt)
  return {
    ...helmReleaseAddress,
    manager: 'gotk-helm-controller', // not the manager that applies objects: a chart may contain HelmReleases
    component: 'helm-controller',
    observesSuspended: true,
    leavesRuns: true,
    passTimeoutOf: release => timeoutOf(release) + graceMs,
    ...restrained<HelmRelease>(
      { ...context, rollouts: rolloutsOfUnits(ports.refetch) },
      {
        planning,
        intervalOf,
        reconcile,
        finalize: (release, pass) => finalize(release, pass, context),
        endRun: (release, pass) => endAction(release, pass, context),
      },
    ),
    preview: previewing(context, reconcile),
  }
}

/** Maximum size of charts cached across passes, in bytes. */
const maxChartBytes = 64 * 1024 * 1024

/** Maximum number of HelmCharts that dry runs remember; the oldest go first. */
const maxUnchangedCharts = 5_000

/** Time for a pass in addition to its action's timeout, in milliseconds. */
const graceMs = 60_000

const attempt = async (
  release: HelmRelease,
  pass: Pass<HelmRelease>,
  restraint: Restraint,
  context: Context,
): Promise<Outcome<HelmRelease>> => {
  const { references, clock } = context
  const draft = new Draft(release, clock.now)
  const evaluations = evaluationsOf(release, pass, context)
  const health = customHealth(release, evaluations, message => invalidExpression(draft, message))
  const isProposed = isOnlyPlanned(restraint)
  const undo = isProposed ? undefined : undoOf(release)
  if (!undo) await applyChartTemplate(draft, pass, context)
  if (!isUnderWay(draft)) draft.markReconciling('Progressing', 'Fulfilling prerequisites')
  await pass.update(draft.change(), { fleeting: true })
  if (undo) return keepUndone(draft, undo.to, { pass, restraint, context, health })

  if (!isProposed) await requireDependencies(draft, pass, context, evaluations)
  const source = await resolveSource(draft, context)
  const values = await orFailure(draft, 'ValuesError', () => composeValues(release, references, pass.note), {
    sendsEvent: true,
  })
  draft.clearReady('ValuesError')
  const writtenBy = authorOf(source.artifact)
  pass.note({ phase: 'Fetch', pushedBy: source.requestedBy, author: writtenBy })
  const author = source.requestedBy ?? writtenBy
  const loaded = await loadChart(draft, source, context)
  const { cluster, reference } = await connect(draft, pass, context)

  if (isTargetChanged(draft, loaded)) {
    const hold = restraint.holds.Changes ?? restraint.holds.Deletions ?? unplanned(restraint, context)
    if (hold) return heldRelease(release, 'the uninstallation of the former release', hold, { pass, now: clock.now() })
    const held = await moveHeldByGuard({ ...context, draft, pass, cluster, restraint, author })
    return held ?? uninstallMoved(draft, pass, context, cluster)
  }
  const { chart, ociDigest } = loaded
  const { name: chartName, version: chartVersion, appVersion } = chart.metadata
  const configDigest = valuesDigest(values)
  const [last] = release.status?.history ?? []
  pass.note({
    cluster: reference,
    revision: chartVersion,
    artifact: source.artifact.digest,
    previousRevision: last?.chartVersion,
    hasNewInputs: last !== undefined && last.configDigest !== configDigest,
  })
  const attempt = { chartName, chartVersion, configDigest, ociDigest, appVersion: appVersion as string | undefined }
  const storageNamespace = storageNamespaceOf(draft.onCluster)
  const storage = context.storageOf(cluster, storageNamespace, pass.signal)
  draft.set({ storageNamespace })
  const inputs = attemptInputsOf(release, attempt)
  const unfinished = await unfinishedOf(draft, storage)
  const begunFor = unfinished ? readAttemptInputs(unfinished.inputs) : inputs
  const isReset = !unfinished && takeUpRequest({ draft }, resetAtAnnotation, 'lastHandledResetAt')
  if (isReset) clearFailures(draft)
  if (begunFor) noteAttempt(draft, begunFor)
  const isCancelable = unfinished && context.settings.cancelHealthChecks
  const newer = isCancelable && begunFor ? newerThan(begunFor, inputs, draft, source) : undefined
  const { postRenderers: postRenderersDigest, commonMetadata: commonMetadataDigest } = digests(release)
  const work = await prepareWork(
    { draft, pass, context, cluster, storage, health },
    {
      ...{ chart, values, attempt, newer, restraint, author },
      wanted: { chartName, chartVersion, configDigest, postRenderersDigest, commonMetadataDigest },
      inputs: JSON.stringify(inputs),
      isAnotherAttempt: () => isAnotherAttempt(draft.status, inputs),
    },
  )
  return isProposed ? planProposed(work) : runActions(work)
}

/** The uninstallation of a former release is only planned where signatures are demanded, and so can't be approved elsewhere. */
const unplanned = ({ approval }: Restraint, { signatures }: Context) =>
  !signatures &&
  approval &&
  ({ reason: 'ApprovalRequired', why: `${approval.requiredBy} requires an approval` } as const)

/** Whether this pass continues an action of an earlier one, which has already been reported. */
const isUnderWay = (draft: Draft): boolean =>
  /^Running '/.test(draft.condition('Reconciling')?.message ?? '') && draft.condition('Ready')?.status === 'Unknown'

/** Whether the release has moved or changed its chart: the present release is uninstalled first (HR-037, HR-038). */
const isTargetChanged = ({ onCluster: release, status }: Draft, { chart }: LoadedChart): boolean => {
  const [current] = status.history ?? []
  if (!current || !status.storageNamespace) return false
  if (
    storageNamespaceOf(release) !== status.storageNamespace ||
    releaseNamespaceOf(release) !== current.namespace ||
    releaseNameOf(release) !== current.name
  )
    return true
  const isInPlace = release.spec.upgrade?.chartNameChangeStrategy === 'InPlaceUpdate'
  return chart.metadata.name !== current.chartName && !isInPlace
}

/**
 * Whether an earlier pass left an action unfinished: it is finished first, with its own parameters. Errors are ignored here and reported when the
 * state is read.
 */
const unfinishedOf = async (draft: Draft, storage: ReleaseStorage): Promise<Progress | Ended | undefined> =>
  unfinishedAction(draft, await storage.history(releaseNameOf(draft.release)).catch(() => []))
