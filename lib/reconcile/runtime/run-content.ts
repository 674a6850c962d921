import { refusedField } from '../../clusters/apply/apply-engine.ts'
import { ApplyError, type ApplyFailure } from '../../clusters/apply/apply-error.ts'
import type { RecordedChange } from '../../clusters/apply/field-diff.ts'
import { maskValues } from '../../clusters/client/mask-secret.ts'
import { isReconcileRequested, requestedAtOf, requestedByAnnotation } from '../../foundations/kinds/flux.ts'
import { describeRef, type KubernetesObject } from '../../foundations/kinds/object.ts'
import type { RunCause, RunChange, RunContent } from '../../foundations/kinds/run.ts'
import { undoneByAnnotation, undoOf } from '../../foundations/kinds/undo.ts'
import { overriddenByAnnotation, overrideAnnotation, parseOverride } from '../../foundations/kinds/window.ts'
import { conditionOf, isConditionTrue } from '../../foundations/rules/conditions.ts'
import { pinOf, runOfPin } from '../../foundations/rules/pin.ts'
import type { PassNotes } from './pass-notes.ts'
import type { End } from './pass-run.ts'
import type { ReconciledStatus } from './transitions.ts'

/** A pass over a unit that has ended. */
export interface EndedPass {
  /** As it was when the pass began. */
  readonly object: KubernetesObject
  readonly startedAt: number
  readonly notes: PassNotes
  readonly end: End
  /** The previous pass had failed for the same generation. */
  readonly wasFailing: boolean
}

/** The limits of a Run: its changes, the characters of their fields, its errors, and the characters of one text. */
const bounds = { changes: 500, characters: 32_000, errors: 20, text: 4_000 }

type Errors = NonNullable<RunContent['errors']>

/** The content of the Run of a pass. `now` in milliseconds since the epoch. */
export const runContent = ({ object, startedAt, notes, end: ending }: EndedPass, now: number): RunContent => {
  const { cluster, revision, previousRevision, artifact, manifests, plan, secrets } = notes
  const { outcome } = ending
  const end = endOf(ending, notes)
  const { apiVersion, kind, metadata } = object
  const shown = (text: string): string => cut(secrets ? maskValues(secrets(), text) : text, bounds.text)
  const changed = notes.changes.filter(({ action }) => action !== 'unchanged' && action !== 'skipped')
  const phases = phasesOf(notes, now)
  const errors = errorsOf(end, shown)
  return {
    unit: { apiVersion, kind, name: metadata.name, ...(metadata.uid && { uid: metadata.uid }) },
    ...(cluster && { cluster }),
    cause: withReason(causeOf(object, notes, startedAt), shown),
    ...(revision !== undefined && { revision }),
    ...(previousRevision !== undefined && previousRevision !== revision && { previousRevision }),
    ...(artifact !== undefined && { artifact }),
    ...(manifests !== undefined && { manifests }),
    ...(plan && { plan: { ...plan, approvedBy: [...plan.approvedBy] } }),
    ...(phases.length > 0 && { phases }),
    counts: countsOf(notes.changes),
    ...listed(changed),
    ...(errors.length > 0 && { errors }),
    result: notes.changes.some(({ action }) => action === 'drifted') ? 'Drifted' : resultOf(end),
    ...(end.reason && { reason: end.reason }),
    ...(end.message && { message: shown(end.message) }),
    startedAt: new Date(startedAt).toISOString(),
    ...((outcome !== 'waiting' || notes.ended) && { finishedAt: new Date(now).toISOString() }),
  }
}

/** A Run of several passes: the result of the last one, with the changes of the earlier ones. */
export const withEarlier = (content: RunContent, earlier: RunContent): RunContent => {
  const changes = [...(earlier.changes ?? []), ...(content.changes ?? [])]
  const more = (earlier.moreChanges ?? 0) + (content.moreChanges ?? 0)
  const revision = content.revision ?? earlier.revision
  const phases = allPhases(earlier, content)
  return {
    ...earlier,
    ...content,
    cause: earlier.cause,
    startedAt: earlier.startedAt,
    counts: sum(earlier.counts, content.counts),
    ...(earlier.previousRevision !== undefined && { previousRevision: earlier.previousRevision }),
    ...(revision !== undefined && { revision }),
    ...(phases.length > 0 && { phases }),
    ...(changes.length > 0 && { changes }),
    ...(more > 0 && { moreChanges: more }),
  }
}

const withReason = (cause: RunCause, shown: (text: string) => string): RunCause =>
  cause.reason === undefined ? cause : { ...cause, reason: shown(cause.reason) }

/** Whether no pass has observed the spec, or the deletion, of the object yet. */
export const isNewGeneration = ({ metadata, status }: KubernetesObject): boolean => {
  const { conditions, observedGeneration } = (status ?? {}) as ReconciledStatus
  return metadata.generation !== (observedGeneration ?? conditionOf(conditions, 'Ready')?.observedGeneration)
}

/** The cause of the pass, from the object before it. */
const causeOf = (
  object: KubernetesObject,
  { revision, previousRevision, changedBy, pushedBy, author, changes, hasNewInputs }: PassNotes,
  startedAt: number,
): RunCause => {
  const { annotations = {}, deletionTimestamp } = object.metadata
  const { conditions } = (object.status ?? {}) as ReconciledStatus
  const ready = conditionOf(conditions, 'Ready')
  if (deletionTimestamp !== undefined) return { type: 'Deletion', ...(changedBy && { user: changedBy }) }
  const override = parseOverride(annotations[overrideAnnotation] ?? '')
  if (override && override.until > startedAt && isConditionTrue(conditions, 'Waiting')) {
    const user = annotations[overriddenByAnnotation]
    return { type: 'Override', ...(user && { user }), reason: override.reason }
  }
  if (undoOf(object) && hasNewInputs) {
    const user = annotations[undoneByAnnotation]
    return { type: 'Undo', ...(user && { user }) }
  }
  if (isReconcileRequested(object)) {
    const user = annotations[requestedByAnnotation]
    return { type: 'Request', ...(user && { user }), requestedAt: requestedAtOf(object)! }
  }
  if (isNewGeneration(object)) return { type: 'Spec', ...(changedBy && { user: changedBy }) }
  if (revision !== undefined && revision !== previousRevision) {
    const pin = pinOf(object)
    if (pin) return { type: 'Rollout', user: runOfPin(pin) }
    return { type: 'Source', ...(pushedBy && { user: pushedBy }), ...(author && { author }) }
  }
  if (hasNewInputs) return { type: 'Config' }
  const waited = [conditionOf(conditions, 'Waiting'), ready].some(
    condition => condition?.reason === 'DependencyNotReady',
  )
  if (waited) return { type: 'Dependency' }
  if (ready?.status !== 'True') return { type: 'Retry' }
  return { type: changes.some(({ action }) => driftActions.has(action)) ? 'Drift' : 'Interval' }
}

/** Changes of a cluster that differs from what was applied although nothing is new. */
const driftActions: ReadonlySet<RecordedChange['action']> = new Set(['configured', 'created', 'drifted'])

/** The end of the pass, or of its work if that differs. */
const endOf = (end: End, { ended }: PassNotes): End => {
  const hasFailed = end.outcome === 'failed' || end.outcome === 'stalled'
  if (!ended || (hasFailed && !ended.isFailure)) return end
  const { isFailure, reason, message } = ended
  return { ...end, outcome: hasFailed ? end.outcome : isFailure ? 'failed' : 'done', reason, message }
}

const resultOf = ({ outcome }: End): RunContent['result'] => {
  switch (outcome) {
    case 'failed':
      return 'Failed'
    case 'stalled':
      return 'Stalled'
    case 'waiting':
      return 'Progressing'
    case 'held':
      return 'Waiting'
    case 'deleted':
      return 'Deleted'
    default:
      return 'Succeeded'
  }
}

const phasesOf = ({ phases }: PassNotes, now: number) =>
  phases.map(({ name, startedAt }, at) => ({
    name,
    durationMs: Math.max(0, Math.round((phases[at + 1]?.startedAt ?? now) - startedAt)),
  }))

/** A part that continues in a later pass includes the time in between. */
const allPhases = (earlier: RunContent, { phases = [], finishedAt }: RunContent) => {
  const before = earlier.phases ?? []
  const [last, first] = [before.at(-1), phases[0]]
  if (!last || last.name !== first?.name || finishedAt === undefined) return [...before, ...phases]
  const done = before.slice(0, -1)
  const beganAt = done.reduce((sum, { durationMs }) => sum + durationMs, Date.parse(earlier.startedAt))
  const whole = { name: last.name, durationMs: Math.max(0, Date.parse(finishedAt) - beganAt) }
  return [...done, whole, ...phases.slice(1)]
}

type Action = RecordedChange['action'] | 'recreated'
const actionOf = ({ action, recreated }: RecordedChange): Action => (recreated ? 'recreated' : action)

const countsOf = (changes: readonly RecordedChange[]): RunContent['counts'] => {
  const counts: Partial<Record<Action, number>> = {}
  for (const change of changes) counts[actionOf(change)] = (counts[actionOf(change)] ?? 0) + 1
  return counts
}

const sum = (a: RunContent['counts'], b: RunContent['counts']): RunContent['counts'] => {
  const counts: Record<string, number> = { ...a }
  for (const [name, count] of Object.entries(b)) counts[name] = (counts[name] ?? 0) + count!
  return counts
}

/** As many changes as a Run may contain, with their fields while the limit allows. */
const listed = (changed: readonly RecordedChange[]): Pick<RunContent, 'changes' | 'moreChanges'> => {
  if (changed.length === 0) return {}
  let left = bounds.characters
  const changes = changed.slice(0, bounds.changes).map((change): RunChange => {
    const { ref, apiVersion, origin, diff } = change
    const size = diff ? JSON.stringify(diff.fields).length : 0
    const fits = size <= left
    if (fits) left -= size
    const fields = fits ? (diff?.fields ?? []) : []
    const more = diff ? diff.more + diff.fields.length - fields.length : 0
    return {
      apiVersion,
      kind: ref.kind,
      ...(ref.namespace && { namespace: ref.namespace }),
      name: ref.name,
      action: actionOf(change) as RunChange['action'],
      ...(origin !== undefined && { origin }),
      ...(fields.length > 0 && { fields }),
      ...(more > 0 && { moreFields: more }),
    }
  })
  const more = changed.length - changes.length
  return { changes, ...(more > 0 && { moreChanges: more }) }
}

const errorsOf = ({ outcome, cause, message = '' }: End, shown: (text: string) => string): Errors => {
  if (outcome !== 'failed' && outcome !== 'stalled') return []
  const refused = cause instanceof ApplyError && !cause.outage ? cause.failures : []
  if (refused.length > 0) return refused.slice(0, bounds.errors).map(failure => errorOf(failure, shown))
  return [{ ...placeIn(message), message: shown(message) }]
}

const errorOf = ({ ref, message, cause, origin }: ApplyFailure, shown: (text: string) => string): Errors[number] => {
  const field = refusedField(cause)
  return { object: describeRef(ref), ...placeIn(message, origin), ...(field && { field }), message: shown(message) }
}

/** Errors of builds and refusals end with the file at fault. */
const placeIn = (message: string, origin?: string): { readonly file?: string } => {
  const file = /\(from ([^()\n]+)\)\s*$/.exec(message)?.[1] ?? origin
  return file === undefined ? {} : { file }
}

const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length)}…`)
