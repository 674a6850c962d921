/** How a unit's cluster differs from what the unit has applied, as the hub has recorded it. */
import { statusCondition } from '../foundations/fleet/object-state.ts'
import { driftAnnotation, driftedCondition } from '../foundations/kinds/applied.ts'
import type { HelmRelease } from '../foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import type { Run } from '../foundations/kinds/run.ts'
import { ApiFailure, type HubApi } from './hub-api.ts'
import { readRuns } from './read-runs.ts'

/** What a unit does with changes that were made on its cluster. Ignored: it does not compare. */
export type DriftMode = 'corrected' | 'reported' | 'ignored'

/** Drift that is only reported. */
export interface ReportedDrift {
  /** RFC 3339. */
  readonly since: string
  /** The objects and fields, a line each. */
  readonly message: string
  /** The Run with the values; absent for a HelmRelease, if it is not kept any more, or may not be read. */
  readonly run?: Run
}

export interface UnitDrift {
  readonly mode: DriftMode
  /** Absent while nothing differs, as far as the last pass saw. */
  readonly reported?: ReportedDrift
  /** What the person may not read. */
  readonly refused: readonly string[]
}

/** Of an object with kind and apiVersion. */
export const driftModeOf = (unit: KubernetesObject): DriftMode => {
  if (unit.kind !== 'HelmRelease')
    return unit.kind === 'Kustomization' && unit.metadata.annotations?.[driftAnnotation] === 'report'
      ? 'reported'
      : 'corrected'
  const { mode } = (unit as HelmRelease).spec.driftDetection ?? {}
  return mode === 'enabled' ? 'corrected' : mode === 'warn' ? 'reported' : 'ignored'
}

/** Fails with ApiFailure or HubUnreachable. */
export const readDrift = async (api: HubApi, unit: KubernetesObject, signal: AbortSignal): Promise<UnitDrift> => {
  const mode = driftModeOf(unit)
  const condition = statusCondition(unit, driftedCondition)
  if (condition?.status !== 'True') return { mode, refused: [] }
  const { lastTransitionTime: since, message } = condition
  try {
    const run = await latestReport(api, unit, signal)
    return { mode, reported: { since, message, ...(run && { run }) }, refused: [] }
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status !== 403) throw error
    return { mode, reported: { since, message }, refused: [error.message] }
  }
}

/** The latest Run that reports drift: there is one for each change of it. */
const latestReport = async (
  api: HubApi,
  { kind, metadata: { namespace, name, uid } }: KubernetesObject,
  signal: AbortSignal,
): Promise<Run | undefined> => {
  const { items } = await readRuns(api, { namespace, kind, name, result: 'Drifted' }, { limit: 1 }, signal)
  const [run] = items
  // Another unit may have had the name.
  return run?.unit.uid === undefined || run.unit.uid === uid ? run : undefined
}
