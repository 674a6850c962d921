import { sourceName } from '../../engines/resource-set/data-source.ts'
import { digestOf, rawDigestOf } from '../../engines/resource-set/digest.ts'
import type { RenderedStep } from '../../engines/resource-set/render.ts'
import { isReconcileDisabled } from '../../foundations/kinds/flux-operator.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { intervalOf, timeoutOf } from '../../foundations/kinds/resource-set.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { inventoryDifference, inventoryEntry } from '../../foundations/rules/inventory.ts'
import { dryRunContexts, previewContexts } from '../applied-objects/dry-run-context.ts'
import { orHalt } from '../applied-objects/failure.ts'
import { inProgress, inventoryOf } from '../applied-objects/run.ts'
import { keepApproved } from '../approvals/keep-approved.ts'
import { type Bound, bindCluster } from '../guard/cluster-guard.ts'
import { sealedBuilds } from '../kept-builds/sealed-builds.ts'
import { outcomeOfHalt } from '../runtime/halt.ts'
import type { Outcome, Pass, Reconciler, Resting } from '../runtime/reconciler.ts'
import { unfinishedRuns } from '../runtime/unfinished-runs.ts'
import { type ApprovedBuild, unitMemory } from '../runtime/unit-memory.ts'
import { previewing } from '../windows/preview.ts'
import type { Restraint } from '../windows/restraint.ts'
import { restrained } from '../windows/waiting.ts'
import { applyApproved, applyRendered } from './apply-rendered.ts'
import { planning } from './clearance.ts'
import type { Context, ResourceSetPorts } from './context.ts'
import { disabledEvent } from './events.ts'
import { failure, waitCanceled } from './failure.ts'
import { finalize } from './finalize.ts'
import { isOutdated, type OngoingWait, ongoingWait } from './ongoing-wait.ts'
import { placeOnHub } from './place-on-hub.ts'
import { filled, owned } from './prepare.ts'
import { renderSet } from './render-set.ts'
import { requireDependencies } from './require-dependencies.ts'
import { resourceSetAddress } from './resource-set-address.ts'
import type { ResourceSetRun } from './run.ts'
import { fleeting, orRunFailure } from './run.ts'
import type { ResourceSetSettings } from './settings.ts'
import { defaultResourceSetSettings } from './settings.ts'
import { connect, type Target } from './target-cluster.ts'

/** Renders templates with sets of inputs and keeps the objects applied, as flux-operator does. */
export const resourceSetReconciler = (
  ports: ResourceSetPorts,
  settings: ResourceSetSettings = defaultResourceSetSettings,
): Reconciler<ResourceSet> => {
  const context: Context = {
    ...ports,
    settings,
    units: unitMemory(ports.objects),
    renderings: sealedBuilds(ports),
    unfinished: unfinishedRuns(ports, 'health-check'),
  }
  const ofDryRun = dryRunContexts(context)
  const ofPreview = previewContexts(context, ofDryRun)
  return {
    ...resourceSetAddress,
    manager: 'gotk-flux-operator', // not the manager that applies objects: that one owns a ResourceSet that it applies itself
    component: 'flux-operator',
    finalizer: 'fluxcd.controlplane.io/finalizer',
    observesGeneration: false,
    leavesRuns: true,
    passTimeoutOf: set => Math.max(timeoutOf(set), 60_000),
    preview: previewing(context, (set, pass, restraint) =>
      attempt(set, pass, restraint, ofPreview(pass.dryRun!)).catch(outcomeOfHalt),
    ),
    ...restrained<ResourceSet>(context, {
      planning,
      intervalOf,
      reconcile: (set, pass, restraint) =>
        attempt(set, pass, restraint, pass.dryRun ? ofDryRun(pass.dryRun) : context).catch(outcomeOfHalt),
      finalize: (set, pass) => finalize(set, pass, context),
    }),
  }
}

const attempt = async (
  set: ResourceSet,
  pass: Pass<ResourceSet>,
  restraint: Restraint,
  context: Context,
): Promise<Outcome<ResourceSet>> => {
  if (isReconcileDisabled(set)) return disabled(pass)
  const isPreview = restraint.preview !== undefined
  const ongoing = isPreview ? undefined : await ongoingWait(set, context.unfinished, context.clock.now())
  if (ongoing) pass.note({ continues: ongoing.startedAt })
  if (ongoing && isOutdated(ongoing, set)) throw waitCanceled(set)
  if (!ongoing) await pass.progress(inProgress, fleeting(pass))
  const target = await connect(set, context, pass)
  if (!ongoing && !isPreview) await requireDependencies(set, pass, target, context)
  pass.note({ phase: 'Build' })
  const { inputs, rendered } = await renderSet(set, pass, context)
  const steps = await orReconciliationFailed(pass.signal, () => placeOnHub(rendered, target, pass))
  const { applier: bound, changed, bind } = await bindTarget(set, target, steps, context, pass)
  if (changed) return changed
  const run = await prepare(bound, pass, context, {
    target,
    steps: owned(target.owner, steps),
    inputs: inputs.length,
    ongoing,
  })
  const start = { reference: target.reference, ongoing, bind }
  const outcome = await applyRendered(run, start, restraint, context)
  if (isPreview) return outcome
  const keep = (approved: ApprovedBuild, restraint: Restraint) =>
    applyApproved(run, approved, start, restraint, context)
  return keepApproved(outcome, set, restraint, keep, context.units)
}

const disabled = (pass: Pass<ResourceSet>): Resting<ResourceSet> => {
  pass.event(disabledEvent)
  const message = 'Initialized with reconciliation suspended'
  return { type: 'resting', reason: 'ReconciliationDisabled', message }
}

interface Rendered {
  readonly target: Target
  readonly steps: readonly RenderedStep[]
  readonly inputs: number
  readonly ongoing: OngoingWait | undefined
}

/** Fills in the data that objects request, and records its sources, so that a change to them is noticed (RS-062). */
const prepare = async (
  set: ResourceSet,
  pass: Pass<ResourceSet>,
  { clock }: Context,
  { target, steps, inputs, ongoing }: Rendered,
): Promise<ResourceSetRun> => {
  const objects = steps.flatMap(step => step.objects)
  const startedAt = ongoing?.startedAt ?? pass.startedAt
  const run: ResourceSetRun = {
    applier: set,
    pass,
    clock,
    cluster: target.cluster,
    owner: target.owner,
    shared: target.shared,
    steps,
    inputs,
    startedAt,
    digest: rawDigestOf(objects),
  }
  const { steps: whole, sources } = await orRunFailure(run, () => filled(steps, target.sources, pass.signal))
  const dataSources = sources.map(sourceName).sort()
  if (!isSameJson(dataSources, set.status?.dataSources ?? []))
    await pass.progress(inProgress, { status: { dataSources: dataSources.length > 0 ? dataSources : null } })
  return { ...run, steps: whole, digest: digestOf(whole.flatMap(step => step.objects)) }
}

/** The set with the objects that it has applied on this cluster: none if the cluster has just been approved. */
const bindTarget = (
  set: ResourceSet,
  target: Target,
  steps: readonly RenderedStep[],
  { units }: Context,
  { signal }: Pass<ResourceSet>,
): Promise<Bound<ResourceSet>> => {
  const intended = steps.flatMap(step => step.objects).map(inventoryEntry)
  const isDeleting = inventoryDifference(inventoryOf(set), intended).length > 0
  return orReconciliationFailed(signal, () => bindCluster(set, target, isDeleting, units))
}

const orReconciliationFailed = <R>(signal: AbortSignal, work: () => Promise<R>): Promise<R> =>
  orHalt(signal, work, error =>
    failure('ReconciliationFailed', `reconciliation failed: ${errorMessage(error)}`, { cause: error }),
  )
