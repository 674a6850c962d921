import type { ClusterClient } from '../../clusters/client/client.ts'
import { ReleaseError } from '../../clusters/helm-release/action.ts'
import { releaseStorage } from '../../clusters/helm-release/storage.ts'
import { intervalOf } from '../../foundations/kinds/flux.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { actingAccount } from '../../hub/references/acting-account.ts'
import { serviceAccountKind } from '../../hub/references/references.ts'
import { Halt } from '../runtime/halt.ts'
import type { Outcome, Pass, Unfinished } from '../runtime/reconciler.ts'
import { deleteChart } from './chart-template.ts'
import type { Context } from './context.ts'
import { Draft } from './draft.ts'
import { failure, waiting } from './failure.ts'
import { forgetHeld } from './held-by-guard.ts'
import { describeRelease } from './history.ts'
import { recordWritten } from './record.ts'
import { releaseChanges } from './release-changes.ts'
import { noteReleased } from './released-values.ts'
import { clearFailures, reportNotUninstalled, reportUninstalled } from './report.ts'
import { uninstallRequest } from './requests.ts'
import { clearUninstall } from './signed-release.ts'
import { summarize } from './summarize.ts'
import { AccessMissing, type ReleaseTarget, targetCluster } from './target-cluster.ts'

/** Uninstalls the release of a deleted HelmRelease, then deletes its HelmChart; does neither if it is suspended (HR-081). */
export const finalize = async (
  release: HelmRelease,
  pass: Pass<HelmRelease>,
  context: Context,
): Promise<Unfinished<HelmRelease> | undefined> => {
  if (release.spec.suspend) return undefined
  const draft = new Draft(release, context.clock.now)
  try {
    await uninstallDeleted(draft, pass, context)
    await deleteChart(draft, pass, context)
    await context.units.forget(release)
    return undefined
  } catch (error) {
    if (error instanceof Halt) return (error as Halt<HelmRelease>).outcome as Unfinished<HelmRelease>
    throw error
  }
}

const uninstallDeleted = async (draft: Draft, pass: Pass<HelmRelease>, context: Context): Promise<void> => {
  const { release } = draft
  if (!draft.status.storageNamespace || (await isAccountGone(release, context))) return
  let target: ReleaseTarget
  try {
    target = await targetCluster(release, context)
  } catch (error) {
    if (error instanceof AccessMissing) return // the release can't be uninstalled without access
    const message = `failed to build REST client getter to uninstall release: ${errorMessage(error)}`
    throw failure(draft, 'UninstallFailed', message)
  }
  draft.placeIn(target.namespace)
  pass.note({ cluster: target.reference })
  const cluster = await pass.confine(target.cluster)
  const { waiting: held } = await clearUninstall(draft, pass, context, cluster)
  if (held) {
    const { conditions = {} } = held
    throw new Halt<HelmRelease>({ type: 'waiting', afterMs: intervalOf(release), conditions })
  }
  const outcome = await uninstall(draft, pass, context, cluster)
  if (outcome) throw new Halt<HelmRelease>(outcome)
}

/** Uninstalls the release in the history, which may differ from that of the current spec. Returns an outcome if that is not finished. */
const uninstall = async (
  draft: Draft,
  pass: Pass<HelmRelease>,
  context: Context,
  cluster: ClusterClient,
): Promise<Outcome<HelmRelease> | undefined> => {
  const [current] = draft.status.history ?? []
  if (!current) return undefined
  const { clock, actions } = context
  const storage = releaseStorage(cluster, draft.status.storageNamespace!, clock, { signal: pass.signal })
  const request = {
    ...uninstallRequest(draft.onCluster, context.settings),
    name: current.name,
    namespace: current.namespace,
  }
  const say = (message: string) => draft.mark('Released', 'False', 'UninstallSucceeded', message)
  try {
    const stored = await storage.history(current.name)
    noteReleased(draft.release, stored, pass.note)
    const [last] = stored
    if (!last) {
      say(`Release ${describeRelease(current)} was not found, assuming it is uninstalled`)
      return undefined
    }
    if (request.keepHistory && last.release.info.status === 'uninstalled') {
      say(`Release ${describeRelease(current)} was already uninstalled`)
      return undefined
    }
    const outcome = await actions.uninstall({ cluster, storage, clock, signal: pass.signal }, request)
    if (outcome.state === 'waiting') return waiting(draft, outcome.retryAfterMs)
    recordWritten(draft, 'uninstall', outcome.stored)
    const step = { before: last.release, after: undefined }
    pass.note({ changes: await releaseChanges({ cluster }, draft.release, step, pass.signal) })
    reportUninstalled(draft, pass.event)
    return undefined
  } catch (error) {
    pass.signal.throwIfAborted()
    const hasFailed = error instanceof ReleaseError
    if (hasFailed) recordWritten(draft, 'uninstall', error.stored)
    const logs = hasFailed ? error.logs : []
    reportNotUninstalled(draft, { message: errorMessage(error), logs }, pass.event)
    summarize(draft)
    const { message = errorMessage(error) } = draft.condition('Ready') ?? {}
    throw failure(draft, 'UninstallFailed', message)
  } finally {
    summarize(draft)
  }
}

/** Uninstalls a release that moves to another name or namespace, or that has another chart now: nothing is known of it then. */
export const uninstallMoved = async (
  draft: Draft,
  pass: Pass<HelmRelease>,
  context: Context,
  cluster: ClusterClient,
): Promise<Outcome<HelmRelease>> => {
  const clearance = await clearUninstall(draft, pass, context, cluster)
  if (clearance.waiting) return clearance.waiting
  const unfinished = await uninstall(draft, pass, context, cluster)
  if (unfinished) return unfinished
  await clearance.applied?.()
  draft.set({ history: null, storageNamespace: null })
  clearFailures(draft)
  await forgetHeld({ ...context, draft })
  return waiting(draft, 0)
}

/** Whether the ServiceAccount to impersonate no longer exists. */
const isAccountGone = async (release: HelmRelease, { references, settings }: Context): Promise<boolean> => {
  // With a kubeconfig, the account is on that cluster.
  if (release.spec.kubeConfig || (await references.target(release))) return false
  const account = actingAccount(release, settings)
  return account !== undefined && !(await references.local(release, serviceAccountKind, account.name))
}
