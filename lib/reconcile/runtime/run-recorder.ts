import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { RunContent, StoredRun } from '../../foundations/kinds/run.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import { runCodec } from '../../hub/runs/run-codec.ts'
import { factsOf, keysOf } from '../../hub/runs/run-facts.ts'
import { runName } from '../../hub/runs/run-names.ts'
import type { SignRun } from '../../hub/runs/sign-run.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import type { RunPlace, RunRecord, RunStore } from '../../platform/ports/runs.ts'
import { type EndedPass, runContent, withEarlier } from './run-content.ts'
import type { ReconciledStatus } from './transitions.ts'

export interface RunRecorderPorts {
  readonly runs: RunStore
  readonly keys: Keys
  readonly clock: Pick<Clock, 'now'>
  /** Signs Runs that are over; absent if another process does, which they are reported to. */
  readonly signRun?: SignRun
}

export interface RunRecorder {
  record(pass: EndedPass): Promise<void>
}

/**
 * Records a Run for each pass that changed something, failed or was requested, including the passes that continue it. A pass that fails like the
 * previous one, and changed nothing, is counted in the Run of the first one. `retentionMs`: how long Runs are kept.
 */
export const createRunRecorder = (
  { runs, keys, clock, signRun }: RunRecorderPorts,
  retentionMs: number,
): RunRecorder => {
  const codec = runCodec(keys)

  /** The signature of an earlier content counts no longer. */
  const stored = async (
    place: RunPlace,
    { signed: _, ...content }: StoredRun,
  ): Promise<Pick<RunRecord, 'body' | 'facts'>> => {
    const signed = await signRun?.(place, content)
    return { body: await codec.encode(place, { ...content, ...(signed && { signed }) }), facts: factsOf(content) }
  }

  const recordNew = async (record: Omit<RunRecord, 'body' | 'facts'>, content: RunContent): Promise<void> =>
    runs.add({ ...record, ...(await stored(record, content)) }, keysOf(content))

  /** False if the pass that started it has no Run. */
  const recordContinued = async (record: Omit<RunRecord, 'body' | 'facts'>, content: RunContent): Promise<boolean> => {
    const earlier = await runs.get(record)
    if (!earlier) return false
    const begun = await codec.decode(earlier, earlier.body)
    const whole = withEarlier(content, begun)
    const known = keysOf(begun)
    const more = keysOf(whole).filter(key => !known.includes(key))
    await runs.replace({ ...record, ...(await stored(record, whole)) }, more)
    return true
  }

  const isRepeated = async (record: Omit<RunRecord, 'body' | 'facts'>): Promise<boolean> => {
    const { namespace, unit, alike } = record
    const [last] = await runs.page({ namespace, unit, limit: 1 })
    if (!last || last.alike !== alike) return false
    await runs.repeat(last, clock.now())
    return true
  }

  /**
   * When the Run began that the previous pass left in progress, if this pass continues it. One of another revision has ended with this pass: its
   * work is not continued.
   */
  const leftOpen = async (namespace: string, unit: string, { object }: EndedPass, now: RunContent) => {
    const ready = conditionOf((object.status as ReconciledStatus | undefined)?.conditions, 'Ready')
    if (ready?.status !== 'Unknown') return undefined
    const [last] = await runs.page({ namespace, unit, limit: 1 })
    const content = last && (await codec.decode(last, last.body))
    if (!content || content.finishedAt !== undefined || content.unit.uid !== object.metadata.uid) return undefined
    if (content.revision === now.revision) return last.startedAt
    const ended = { ...content, finishedAt: new Date(clock.now()).toISOString() }
    await runs.replace({ ...last, ...(await stored(last, ended)) })
    return undefined
  }

  return {
    async record(pass) {
      const { object, notes, end } = pass
      const { namespace = '', name } = object.metadata
      const content = runContent(pass, clock.now())
      const isFailure = (content.result === 'Failed' || content.result === 'Stalled') && !end.isWait
      const isRequested = isReconcileRequested(object) && !end.leavesRequest
      const hasChanged = (content.changes?.length ?? 0) > 0
      const unit = `${object.kind}/${name}`
      const continues = notes.continues ?? (await leftOpen(namespace, unit, pass, content))
      const isContinued = continues !== undefined
      const isOver = content.finishedAt !== undefined
      if (!hasChanged && !(isOver && (isFailure || isRequested || isContinued))) return
      const startedAt = Math.round(continues ?? pass.startedAt)
      const record = {
        ...{ namespace, startedAt, unit, repeats: 0 },
        name: runName({ kind: object.kind, name }, startedAt),
        expires: clock.now() + retentionMs,
        ...(isFailure && { alike: alikeOf(object, content) }),
      }
      if (isContinued && (await recordContinued(record, content))) return
      if (!hasChanged && !isFailure && !isRequested) return
      // While a health check is in progress, the object does not show whether the previous one failed.
      const mayRepeat = isFailure && !hasChanged && !isRequested && (pass.wasFailing || isContinued)
      if (mayRepeat && (await isRepeated(record))) return
      await recordNew(record, content)
    },
  }
}

/** Durations differ from one failure to the next. */
const duration = /\b(?:\d+(?:\.\d+)?(?:ms|[µn]?s|m|h))+\b/g

const alikeOf = ({ metadata }: KubernetesObject, { reason, revision, message = '' }: RunContent): string =>
  sha256Hex(JSON.stringify([metadata.uid, reason, revision, message.replaceAll(duration, '#')])).slice(0, 16)
