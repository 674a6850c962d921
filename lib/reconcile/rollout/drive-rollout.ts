import type { Limits } from '../../foundations/budget/budget.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { type Rollout, restIntervalOf } from '../../foundations/kinds/rollout.ts'
import type { RolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import { pinOf } from '../../foundations/rules/pin.ts'
import { isSameSource } from '../../foundations/rules/rolled-out.ts'
import { AccessDenied, type CrossNamespaceSettings } from '../../hub/references/access-denied.ts'
import type { References } from '../../hub/references/references.ts'
import { ApiError, type Hub } from '../../hub/store/hub.ts'
import type { OffThread } from '../../platform/ports/off-thread.ts'
import { evaluationsOf } from '../heavy-work/evaluations.ts'
import type { Outcome, Pass } from '../runtime/reconciler.ts'
import type { Refetch } from '../source-artifact/read-artifact.ts'
import { type Driven, type DrivePorts, driveRun, isEnd, revisionsOf } from './drive-run.ts'
import { nameIn } from './name-in-namespace.ts'
import { type Newest, type NoSet, newestSet, observeFleet, runNumber, runsOf } from './observe.ts'
import { createRun, pruneRuns, stateOf } from './run-store.ts'
import { isSameArtifact, isSameInputs } from './unit-state.ts'

export interface RolloutPorts extends DrivePorts {
  readonly hub: Pick<Hub, 'list' | 'create' | 'patch' | 'delete'>
  readonly references: Pick<References, 'anywhere' | 'local' | 'ownNamespace'>
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

interface Context extends RolloutPorts {
  readonly settings: RolloutSettings
}

/** One pass over a Rollout: makes a run for a new set, and drives the latest. */
export const driveRollout = (rollout: Rollout, pass: Pass<Rollout>, context: Context): Promise<Outcome<Rollout>> =>
  attempt(rollout, pass, context).catch(outcomeOf)

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
  const noSet = 'missing' in newest ? newest : undefined
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
        reason: noSet!.reason,
        message: noSet!.missing,
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
    return report(rollout, driven, { runs, noSet }, pass, context)
  }
}

const isSameSet = (run: RolloutRun | undefined, { sources, inputs }: Newest): boolean =>
  run !== undefined &&
  isSameInputs(run.spec.inputs, inputs) &&
  run.spec.sources.length === sources.length &&
  sources.every(source => {
    const had = run.spec.sources.find(one => isSameSource(one, source))
    return isSameArtifact(source, had) && isSameJson(source.chart ?? {}, had?.chart ?? {})
  })

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
  { runs, noSet }: { readonly runs: readonly RolloutRun[]; readonly noSet: NoSet | undefined },
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
  const message = `RolloutRun ${name}: ${said.join('; ')}${noSet ? `; no newer one begins: ${noSet.missing}` : ''}`
  switch (state.phase) {
    case 'Succeeded':
      // A source that is not ready says so itself; of a strategy that is gone, only those that name it can.
      if (noSet?.reason === 'StrategyNotFound')
        return {
          ...{ type: 'failed', reason: noSet.reason, message, status, isWait: true },
          afterMs: hasMorePins || waitsFor.length > 0 ? afterMs : restIntervalOf(rollout),
        }
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
