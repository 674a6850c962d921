import type { Limits } from '../../foundations/budget/budget.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { type Rollout, restIntervalOf, rolloutsAnnotation } from '../../foundations/kinds/rollout.ts'
import type { RolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import { pinOf, rolloutsIn } from '../../foundations/rules/pin.ts'
import { isSameSource } from '../../foundations/rules/rolled-out.ts'
import { AccessDenied, type CrossNamespaceSettings } from '../../hub/references/access-denied.ts'
import type { References } from '../../hub/references/references.ts'
import { ApiError, type Hub } from '../../hub/store/hub.ts'
import type { OffThread } from '../../platform/ports/off-thread.ts'
import { evaluationsOf } from '../heavy-work/evaluations.ts'
import type { Outcome, Pass, Reconciler } from '../runtime/reconciler.ts'
import type { Refetch } from '../source-artifact/read-artifact.ts'
import { type Driven, type DrivePorts, driveRun, isEnd, revisionsOf } from './drive-run.ts'
import { type Newest, newestSet, observeFleet, runNumber, runsOf } from './observe.ts'
import { rolloutAddress } from './rollout-address.ts'
import { createRun, pruneRuns, stateOf } from './run-store.ts'
import { isSameArtifact } from './unit-state.ts'

export interface RolloutPorts extends DrivePorts {
  readonly hub: Pick<Hub, 'list' | 'create' | 'patch' | 'delete'>
  readonly references: Pick<References, 'anywhere' | 'ownNamespace'>
  readonly refetch: Refetch
  readonly offThread?: OffThread | undefined
}

export interface RolloutSettings extends CrossNamespaceSettings {
  readonly buildLimits: Limits
  /** Time between two observations while units are under way, in milliseconds: the least right after units got pins, and the most. */
  readonly pollMs: { readonly least: number; readonly most: number }
  /** The same while only gates, or a person, are waited for. */
  readonly gatePollMs: number
}

export const defaultRolloutSettings = { pollMs: { least: 2_000, most: 10_000 }, gatePollMs: 60_000 }

interface Context extends RolloutPorts {
  readonly settings: RolloutSettings
}

/** Brings new revisions of sources to units in stages: makes a run for each, and drives the latest. */
export const rolloutReconciler = (ports: RolloutPorts, settings: RolloutSettings): Reconciler<Rollout> => {
  const context: Context = { ...ports, settings }
  return {
    ...rolloutAddress,
    manager: 'keelson',
    intervalOf: restIntervalOf,
    passTimeoutOf: () => 5 * 60_000,
    reconcile: (rollout, pass) => attempt(rollout, pass, context).catch(outcomeOf),
    // Units stay pinned, and the runs that they are pinned to stay, until somebody releases them.
    finalize: async rollout => {
      await nameIn(await context.references.ownNamespace(rollout), rollout, false, context)
      return undefined
    },
  }
}

/** An order was given during the pass: the next one carries it out. */
const outcomeOf = (error: unknown): Outcome<Rollout> => {
  if (error instanceof ApiError && error.reason === 'Conflict')
    return { type: 'waiting', afterMs: 0, leavesRequest: true }
  if (error instanceof AccessDenied) return { type: 'stalled', reason: 'AccessDenied', message: error.message }
  throw error
}

const attempt = async (rollout: Rollout, pass: Pass<Rollout>, context: Context): Promise<Outcome<Rollout>> => {
  const { settings, clock } = context
  await nameIn(await context.references.ownNamespace(rollout), rollout, true, context)
  const [newest, known] = await Promise.all([newestSet(rollout, context), runsOf(rollout, context)])
  const missing = 'missing' in newest ? newest.missing : undefined
  const fleet = await observeFleet(rollout, context)
  const evaluations = evaluationsOf(rollout, pass, context)
  let runs = known
  for (;;) {
    const latest = runs.at(-1)
    const isNew = 'sources' in newest && !isSameSet(latest, newest)
    if (isNew && (!latest || isEnd(stateOf(latest, clock.now())))) {
      const created = await createRun(rollout, newest, { latest, previous: previousFor(latest) }, context)
      if (!created) return artifactLost(newest, context)
      runs = [...runs, created]
      continue
    }
    if (!latest)
      return {
        type: 'failed',
        reason: 'SourceNotReady',
        message: missing!,
        afterMs: settings.gatePollMs,
        event: null,
        isWait: true,
      }
    const all = new Map(runs.map(run => [`${run.metadata.namespace}/${run.metadata.name}`, run]))
    const previous = all.get(`${latest.metadata.namespace}/${latest.spec.previous}`)
    const newer = isNew ? { isHotfix: newest.isHotfix } : undefined
    const driven = await driveRun(fleet, { target: latest, previous, all }, newer, {
      pass,
      evaluations,
      ports: context,
    })
    runs = [...runs.slice(0, -1), driven.run]
    if (isNew && isEnd(driven.state)) continue
    await pruneRuns(rollout, runs, inUseOf(fleet.units, driven.run), context)
    return report(rollout, driven, runs, pass, context)
  }
}

/** Names a Rollout in its Namespace, or no longer: units there that it selects then wait for their pins. */
const nameIn = async (
  namespace: KubernetesObject | undefined,
  { metadata }: Rollout,
  isNamed: boolean,
  { hub }: Context,
): Promise<void> => {
  if (!namespace || namespace.metadata.deletionTimestamp) return
  const isOwn = ({ name, namespace: place }: { readonly namespace: string; readonly name: string }) =>
    place === metadata.namespace && name === metadata.name
  const named = rolloutsIn(namespace)
  if (named.some(isOwn) === isNamed) return
  const others = named.filter(one => !isOwn(one)).map(one => `${one.namespace}/${one.name}`)
  const value = [...others, ...(isNamed ? [`${metadata.namespace}/${metadata.name}`] : [])].join(',')
  const ref = { group: '', kind: 'Namespace', namespace: '', name: namespace.metadata.name }
  const patch = { metadata: { annotations: { [rolloutsAnnotation]: value || null } } }
  await hub.patch(ref, { type: 'merge', patch }, { fieldManager: 'keelson' })
}

const isSameSet = (run: RolloutRun | undefined, { sources }: Newest): boolean =>
  run !== undefined &&
  run.spec.sources.length === sources.length &&
  sources.every(source =>
    isSameArtifact(
      source,
      run.spec.sources.find(one => isSameSource(one, source)),
    ),
  )

/** The run that a rollback of the next one leads to: the last that has succeeded. */
const previousFor = (latest: RolloutRun | undefined): string | undefined =>
  latest?.status?.phase === 'Succeeded' ? latest.metadata.name : latest?.spec.previous

const inUseOf = (units: readonly KubernetesObject[], { metadata, spec }: RolloutRun): ReadonlySet<string> =>
  new Set([
    ...units.flatMap(unit => pinOf(unit)?.run ?? []),
    metadata.name,
    ...(spec.previous === undefined ? [] : [spec.previous]),
  ])

const artifactLost = async ({ sources }: Newest, { refetch, settings }: Context): Promise<Outcome<Rollout>> => {
  for (const { kind, namespace, name } of sources)
    await refetch({ group: 'source.toolkit.fluxcd.io', kind, namespace, name })
  const message = 'an artifact is no longer stored, and is fetched again'
  return { type: 'failed', reason: 'ArtifactFailed', message, afterMs: settings.pollMs.most }
}

const report = async (
  rollout: Rollout,
  { run, state, waitsFor, recheckAt, isMoving, hasMorePins, lastPinAt, units, unassigned }: Driven,
  runs: readonly RolloutRun[],
  pass: Pass<Rollout>,
  { clock, settings }: Context,
): Promise<Outcome<Rollout>> => {
  const { name } = run.metadata
  const stable = runs.findLast(({ status }) => status?.phase === 'Succeeded')
  const status = {
    currentRun: name,
    currentRevision: revisionsOf(run),
    lastRun: runNumber(name),
    stableRun: stable?.metadata.name ?? null,
    stage: isEnd(state) ? null : (run.spec.stages[state.stage]?.name ?? null),
    units,
    unassigned,
  }
  const { least, most } = settings.pollMs
  const pollMs = isMoving ? Math.min(most, Math.max(least, clock.now() - lastPinAt)) : settings.gatePollMs
  const afterMs = hasMorePins ? 0 : Math.max(0, Math.min(pollMs, (recheckAt ?? Number.POSITIVE_INFINITY) - clock.now()))
  const waiting = waitsFor.length > 0 ? [`waits for ${waitsFor.join('; ')}`] : []
  const said = waiting.length > 0 && !isEnd(state) ? waiting : [run.status?.message, ...waiting]
  const message = `RolloutRun ${name}: ${said.join('; ')}`
  switch (state.phase) {
    case 'Succeeded':
      return {
        ...{ type: 'done', reason: 'RolloutSucceeded', message, status },
        ...((hasMorePins || waitsFor.length > 0) && { afterMs }),
        routine: isConditionTrue(rollout.status?.conditions, 'Ready') && !isReconcileRequested(rollout) && !hasMorePins,
      }
    case 'Running':
    case 'RollingBack':
      await pass.progress(message, { status })
      return { type: 'waiting', afterMs, observed: true }
    case 'Paused':
      if (state.pausedFor === 'Failed')
        return {
          type: 'failed',
          reason: 'RolloutFailed',
          message: `RolloutRun ${name}: ${run.status?.message}`,
          status,
          afterMs,
          event: null,
        }
      await pass.progress(message, { status })
      return { type: 'waiting', afterMs: restIntervalOf(rollout), observed: true }
    default:
      return {
        type: 'failed',
        reason: `Rollout${state.phase}`,
        message,
        status,
        afterMs: restIntervalOf(rollout),
        event: null,
      }
  }
}
