import type { ClusterClient } from '../../cluster/client.ts'
import type { Artifact } from '../../kinds/artifact.ts'
import { formatDuration } from '../../kinds/duration.ts'
import { intervalOf, requestedAtOf } from '../../kinds/flux.ts'
import type { Kustomization } from '../../kinds/kustomization.ts'
import { kustomization as kind, retryIntervalOf, timeoutOf } from '../../kinds/kustomization.ts'
import { inventoryEntry, inventoryObject, inventoryUnion } from '../../rules/inventory.ts'
import { Halt } from '../runtime/halt.ts'
import type { Outcome, Pass, Reconciler, StatusChange } from '../runtime/reconciler.ts'
import { applyManifests } from './apply-manifests.ts'
import type { CachedBuild } from './build-cache.ts'
import { createBuildCache } from './build-cache.ts'
import { buildManifests } from './build-manifests.ts'
import type { Revision } from './events.ts'
import { eventMetadata, revisionOf } from './events.ts'
import { failure, messageOf, orFailure } from './failure.ts'
import { finalize } from './finalize.ts'
import { healthTargets } from './health.ts'
import { ongoingCheck } from './ongoing-check.ts'
import type { KustomizationPorts } from './ports.ts'
import { pruneStale } from './prune-stale.ts'
import { requireDependencies } from './require-dependencies.ts'
import { lookAtHealth, requireHealthy, stillWaiting } from './require-healthy.ts'
import { requireSupported } from './require-supported.ts'
import { isAtRevision, resolveSource, sourceNotReady } from './resolve-source.ts'
import type { Run } from './run.ts'
import { inProgress, inventoryOf } from './run.ts'
import type { KustomizationSettings } from './settings.ts'
import { defaultKustomizationSettings } from './settings.ts'
import type { SourceFiles } from './source-files.ts'
import { createSourceFiles } from './source-files.ts'
import { sourceFolder } from './source-path.ts'
import { succeed } from './succeed.ts'
import { targetCluster } from './target-cluster.ts'

/** Keeps a cluster's objects equal to what a folder of a source builds, as kustomize-controller does. */
export const kustomizationReconciler = (
  ports: KustomizationPorts,
  settings: KustomizationSettings = defaultKustomizationSettings,
): Reconciler<Kustomization> => {
  const context: Context = {
    ...ports,
    settings,
    readSource: createSourceFiles(ports.artifacts),
    cached: createBuildCache(ports),
  }
  return {
    kind,
    stage: 'apply',
    manager: 'gotk-kustomize-controller', // not the one that applies objects: that owns a Kustomization it applies itself
    component: 'kustomize-controller',
    intervalOf,
    passTimeoutOf: timeoutOf,
    groupOf: ({ metadata, spec }) => `${metadata.namespace}/${spec.kubeConfig?.secretRef?.name ?? ''}`,
    reactsTo: ['GitRepository', 'OCIRepository', 'Bucket', 'ExternalArtifact', 'Kustomization', 'Secret', 'ConfigMap'],
    reconcile: (kustomization, pass) => attempt(kustomization, pass, context).catch(outcomeOf(kustomization)),
    finalize: (kustomization, pass) => finalize(kustomization, pass, ports, settings),
  }
}

interface Context extends KustomizationPorts {
  readonly settings: KustomizationSettings
  readonly readSource: SourceFiles
  readonly cached: CachedBuild
}

const attempt = async (
  kustomization: Kustomization,
  pass: Pass<Kustomization>,
  context: Context,
): Promise<Outcome<Kustomization>> => {
  const { hub, settings } = context
  requireSupported(kustomization, settings)
  const continued = await continueHealthCheck(kustomization, pass, context)
  if (continued) return continued
  const artifact = await resolveSource(hub, kustomization, settings)
  const revision = revisionOf(artifact)
  await requireDependencies(hub, kustomization, revision, settings)
  return applyRevision(kustomization, artifact, pass, context).catch(outcomeOf(kustomization, revision))
}

const applyRevision = async (
  kustomization: Kustomization,
  artifact: Artifact,
  pass: Pass<Kustomization>,
  context: Context,
): Promise<Outcome<Kustomization>> => {
  const { readSource, clock, settings } = context
  const revision = revisionOf(artifact)
  const progress = (doing: string, status?: StatusChange<Kustomization>) => {
    const timeout = formatDuration(timeoutOf(kustomization))
    const message = `${doing} for revision ${revision.revision} with a timeout of ${timeout}`
    return pass.progress(message, { ready: inProgress, status })
  }

  await progress('Fetching manifests')
  const files = await orFailure('ArtifactFailed', pass.signal, () => readSource(artifact))
  if (!files) throw sourceNotReady('Source is not ready, artifact not found', settings)
  const folder = sourceFolder(files, kustomization.spec.path)

  await progress('Building manifests', { lastAttemptedRevision: revision.revision })
  const cluster = await connect(kustomization, context, pass.signal)
  const manifests = await orFailure('BuildFailed', pass.signal, () =>
    buildManifests(kustomization, { artifact, files, folder }, context, settings),
  )

  // What is about to be applied is recorded before it is: whatever happens meanwhile, nothing is forgotten.
  const intended = manifests.objects.map(inventoryEntry)
  await progress('Detecting drift', { inventory: { entries: inventoryUnion(inventoryOf(kustomization), intended) } })
  const { digest } = manifests
  const run: Run = { kustomization, pass, clock, cluster, revision, digest, startedAt: pass.startedAt }
  const changes = await applyManifests(run, manifests)
  const entries = await pruneStale(run, changes)
  const isChecked = await requireHealthy(run, changes, entries, settings)
  return { ...succeed(run, entries), ...(!isChecked && { conditions: { Healthy: null } }) }
}

/**
 * Goes on with the health check that an earlier pass began. As in Flux, a new revision or a request that came meanwhile
 * waits for its end. Undefined when there is none, or when an applied object is gone: then all is applied anew.
 */
const continueHealthCheck = async (
  kustomization: Kustomization,
  pass: Pass<Kustomization>,
  context: Context,
): Promise<Outcome<Kustomization> | undefined> => {
  const { hub, clock, settings } = context
  const ongoing = ongoingCheck(kustomization)
  if (!ongoing) return undefined
  const entries = inventoryOf(kustomization)
  const targets = healthTargets(kustomization, entries.map(inventoryObject)) ?? []
  const check = { targets, since: ongoing.since, failFast: settings.failFast }
  const finish = async (): Promise<Outcome<Kustomization> | undefined> => {
    const cluster = await connect(kustomization, context, pass.signal)
    const run: Run = { kustomization, pass, clock, cluster, ...ongoing }
    const state = await lookAtHealth(run, check, true)
    if (state === 'missing') return undefined
    return state === 'waiting' ? stillWaiting(run, check.since).outcome : succeed(run, entries)
  }
  const outcome = await finish().catch(outcomeOf(kustomization, ongoing.revision))
  if (!outcome || outcome.type === 'stalled') return outcome
  if (outcome.type === 'waiting') return { ...outcome, leavesRequest: true }
  const isRequested = requestedAtOf(kustomization) !== kustomization.status?.lastHandledReconcileAt
  const isOutdated = isRequested || !(await isAtRevision(hub, kustomization, ongoing.revision.revision))
  return isOutdated ? { ...outcome, leavesRequest: true, afterMs: 0 } : outcome
}

const connect = async (kustomization: Kustomization, context: Context, signal: AbortSignal): Promise<ClusterClient> => {
  try {
    return await targetCluster(context, kustomization, context.settings)
  } catch (error) {
    signal.throwIfAborted()
    const [reason, message] = ['ReconciliationFailed', messageOf(error)] as const
    const event = { severity: 'error', reason, message: `failed to build kube client: ${message}` } as const
    throw failure(reason, message, { event, cause: error })
  }
}

/** The outcome that a halt carries; failures are tried again after the retry interval, and their events name the revision. */
const outcomeOf =
  (kustomization: Kustomization, revision: Partial<Revision> = {}) =>
  (error: unknown): Outcome<Kustomization> => {
    if (!(error instanceof Halt)) throw error
    const outcome = (error as Halt<Kustomization>).outcome
    if (outcome.type !== 'failed') return outcome
    const { reason, message, afterMs = retryIntervalOf(kustomization), event } = outcome
    const metadata = eventMetadata(revision)
    return {
      ...outcome,
      afterMs,
      event: event === null ? null : { severity: 'error', reason, message, metadata, ...event },
    }
  }
