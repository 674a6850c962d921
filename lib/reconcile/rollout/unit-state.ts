import type { Snapshot } from '../../foundations/kinds/applied.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import { describeRef, refOf } from '../../foundations/kinds/object.ts'
import { pinnedCondition } from '../../foundations/kinds/rollout.ts'
import type { PinnedInput, PinnedSource, RolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { undoOf } from '../../foundations/kinds/undo.ts'
import { waitingCondition } from '../../foundations/kinds/window.ts'
import type { RolloutUnit } from '../../foundations/rollout/world.ts'
import { conditionOf, isConditionTrue } from '../../foundations/rules/conditions.ts'
import { clusterUnreachable, serverOfOutage } from '../../foundations/rules/outage.ts'
import { isSameRun, pinnedBy, pinOf, proposalOf } from '../../foundations/rules/pin.ts'
import { sourceAmong } from '../../foundations/rules/rolled-out.ts'
import { revisionsAttemptedBy } from '../../foundations/rules/unit-revisions.ts'

type Status = {
  readonly conditions?: readonly Condition[]
  readonly observedGeneration?: number
  readonly lastAppliedRevision?: string
  readonly failures?: number
  readonly history?: readonly (Partial<Snapshot> & { readonly chartVersion?: string })[]
}

/** The runs that pins may name: that which is decided about, that of before, and all others by name. */
export interface KnownRuns {
  readonly target: RolloutRun
  readonly previous: RolloutRun | undefined
  readonly all: ReadonlyMap<string, RolloutRun>
}

/** Failures that end by themselves when something else is ready: the unit is on its way. */
const waitReasons = new Set(['DependencyNotReady', 'SourceNotReady', 'Progressing', 'HealthCheckCanceled'])

/** How a unit is doing with the revision of its pin. */
export const observeUnit = (unit: KubernetesObject, runs: KnownRuns, now: number): RolloutUnit => {
  const pin = pinOf(unit)
  const pinnedRun = pin && runs.all.get(`${pin.namespace}/${pin.run}`)
  const has = pinnedRun && sourceIn(pinnedRun, unit)
  const { namespace, name } = runs.target.metadata
  const isProposed = isSameRun({ namespace: namespace ?? '', run: name }, proposalOf(unit))
  const base = { key: describeRef(refOf(unit)), pinnedAt: pin?.since ?? 0, isProposed }
  if (!pin) return { ...base, pin: 'none', runs: appliedOf(unit, runs), state: 'progressing' }
  const kind = pinKind(pinnedRun, unit, runs)
  const status = (unit.status ?? {}) as Status
  const isSeen =
    has && conditionOf(status.conditions, pinnedCondition)?.message === pinnedBy(pin, has, pinnedRun).message
  const undo = undoOf(unit)
  // One that a user keeps at other manifests is left alone, as one that is suspended.
  if (isSuspended(unit) || (undo && !undo.failed)) return { ...base, pin: kind, state: 'ready' }
  if (undo?.failed && undo.failed.revision === has?.artifact.revision) return { ...base, pin: kind, state: 'failed' }
  if (!isSeen) return { ...base, pin: kind, state: 'progressing' }
  // Windows hold it back: the time does not count.
  if (isConditionTrue(status.conditions, waitingCondition))
    return { ...base, pin: kind, state: 'progressing', pinnedAt: now }
  return { ...base, pin: kind, state: readiness(unit, status, has, pin.since) }
}

const readiness = (
  unit: KubernetesObject,
  status: Status,
  { artifact: { revision } }: PinnedSource,
  since: number,
): RolloutUnit['state'] => {
  const ready = conditionOf(status.conditions, 'Ready')
  // The end of a health check of the revision before says nothing about this one.
  if (!revisionsAttemptedBy(unit).includes(revision)) return 'progressing'
  if (ready?.status === 'True') return isCurrent(unit, status, revision) ? 'ready' : 'progressing'
  if (ready?.status !== 'False') return isRetry(unit, status, revision, since) ? 'failed' : 'progressing'
  return waitReasons.has(ready.reason) || isOutage(ready) ? 'progressing' : 'failed'
}

/** Whether a unit that is under way has failed with this revision before: while it retries it says nothing else of that. */
const isRetry = ({ kind }: KubernetesObject, status: Status, revision: string, since: number): boolean => {
  if (kind === 'HelmRelease') return (status.failures ?? 0) > 0
  const [last] = status.history ?? []
  return (
    last?.metadata?.revision === revision &&
    last.lastReconciledStatus !== 'ReconciliationSucceeded' &&
    last.lastReconciledStatus !== clusterUnreachable &&
    Date.parse(last.lastReconciled ?? '') >= Math.floor(since / 1000) * 1000
  )
}

const isCurrent = ({ kind, metadata }: KubernetesObject, status: Status, revision: string): boolean =>
  status.observedGeneration === metadata.generation &&
  (kind === 'HelmRelease' || status.lastAppliedRevision === revision)

const isOutage = ({ reason, message }: Condition): boolean =>
  reason === clusterUnreachable || serverOfOutage(message) !== undefined

/** Whether a unit says that its cluster does not respond. */
export const saysOffline = ({ status }: KubernetesObject): boolean => {
  const ready = conditionOf(((status ?? {}) as Status).conditions, 'Ready')
  return ready?.status === 'False' && isOutage(ready)
}

const pinKind = (
  pinned: RolloutRun | undefined,
  unit: KubernetesObject,
  { target, previous }: KnownRuns,
): RolloutUnit['pin'] => {
  if (isSameFor(unit, pinned, target)) return 'target'
  return isSameFor(unit, pinned, previous) ? 'previous' : 'other'
}

/** Whether a unit takes the same of two runs. Of one that has nothing for it, too: the same pin once more would change nothing. */
const isSameFor = (unit: KubernetesObject, one: RolloutRun | undefined, other: RolloutRun | undefined): boolean => {
  if (!one || !other) return false
  if (one.metadata.name === other.metadata.name) return true
  const has = sourceIn(one, unit)
  return (
    has !== undefined && isSameArtifact(has, sourceIn(other, unit)) && isSameInputs(one.spec.inputs, other.spec.inputs)
  )
}

/** Whether two runs pin the same content of other sources, in the same order. */
export const isSameInputs = (one: readonly PinnedInput[] = [], other: readonly PinnedInput[] = []): boolean =>
  one.length === other.length &&
  one.every(({ kind, name, digest }, at) => {
    const { kind: otherKind, name: otherName, digest: otherDigest } = other[at]!
    return kind === otherKind && name === otherName && digest === otherDigest
  })

export const isSameArtifact = (one: PinnedSource, other: PinnedSource | undefined): boolean =>
  one.artifact.digest === other?.artifact.digest && one.artifact.revision === other.artifact.revision

const sourceIn = ({ spec }: RolloutRun, unit: KubernetesObject): PinnedSource | undefined =>
  sourceAmong(spec.sources, unit)

/** The revision that a unit without a pin has applied. Of a release only the chart's version is known. */
const appliedOf = (unit: KubernetesObject, { target, previous }: KnownRuns): RolloutUnit['runs'] => {
  const applied = (unit as HelmRelease).status?.history?.[0]?.chartVersion
  const { lastAppliedRevision = unit.kind === 'HelmRelease' ? applied : undefined } = (unit.status ?? {}) as Status
  if (lastAppliedRevision === undefined) return undefined
  // Of two runs with other inputs for the same revision, that of before: no unit gets ahead of its stage.
  if (previous && sourceIn(previous, unit)?.artifact.revision === lastAppliedRevision) return 'previous'
  return sourceIn(target, unit)?.artifact.revision === lastAppliedRevision ? 'target' : undefined
}
