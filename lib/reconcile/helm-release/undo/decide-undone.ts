import type { Difference } from '../../../clusters/helm-release/drift.ts'
import type { StoredRelease } from '../../../clusters/helm-release/storage.ts'
import { isPending } from '../../../engines/helm/release/release.ts'
import { errorMessage } from '../../../foundations/rules/error-message.ts'
import type { Decision } from '../decide.ts'
import { detectsDrift, findDrift } from '../drift.ts'
import { failure } from '../failure.ts'
import { isOf, truncatedToFive } from '../history.ts'
import { recordWritten } from '../record.ts'
import { requireOwn } from '../require-own.ts'
import type { Work } from '../work.ts'
import { contentsDigest } from './contents-digest.ts'

export interface Assessment {
  readonly decision: Decision
  /** The differences between cluster and release, if detected. */
  readonly drift: readonly Difference[]
}

/** What keeps the contents of an undo deployed: a rollback to them, unless they are. Failures are not remediated: that would leave them. */
export const decideUndone = async (
  work: Work,
  stored: readonly StoredRelease[],
  contents: string,
): Promise<Assessment> => {
  const { draft } = work
  const [last] = stored
  try {
    if (last && isPending(last.release)) {
      requireOwn(work, last)
      return { decision: { type: 'act', action: 'unlock' }, drift: [] }
    }
    if (last?.release.info.status !== 'deployed' || contentsDigest(last.release) !== contents)
      return { decision: { type: 'act', action: 'undo' }, drift: [] }
    recordWritten(draft, 'rollback', isRecorded(work, last) ? [] : [last.release])
    const drift = detectsDrift(draft.release) ? await findDrift(work, last.release) : []
    const isCorrected = drift.length > 0 && draft.release.spec.driftDetection?.mode === 'enabled'
    const history = truncatedToFive(draft.status.history ?? [])
    return {
      decision: isCorrected ? { type: 'act', action: 'correct cluster drift' } : { type: 'stop', history },
      drift,
    }
  } catch (error) {
    throw failure(draft, 'StateError', `Could not determine release state: ${errorMessage(error)}`)
  }
}

const isRecorded = ({ draft }: Work, { release }: StoredRelease): boolean => {
  const [current] = draft.status.history ?? []
  return current !== undefined && isOf(current, release) && current.status === release.info.status
}
