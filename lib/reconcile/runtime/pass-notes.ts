import type { RecordedChange } from '../../clusters/apply/field-diff.ts'
import { unionOfSecrets } from '../../clusters/client/mask-secret.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { PlanApproval } from '../../foundations/kinds/plan.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import type { Clock } from '../../platform/ports/clock.ts'

/** Notes of a pass about its work, for its Run. */
export interface Note {
  /** The part of the pass that starts now; the previous part ends. */
  readonly phase?: 'Fetch' | 'Build' | 'Apply' | 'Prune' | 'Health' | 'Release'
  /** How the cluster is reached; undefined for the hub. */
  readonly cluster?: TargetReference | undefined
  readonly revision?: string | undefined
  readonly previousRevision?: string | undefined
  /** Digest of the source's artifact; undefined if the manifests were built before. */
  readonly artifact?: string | undefined
  /** Digest of the manifests. */
  readonly manifests?: string | undefined
  /** The plan that users have approved. */
  readonly plan?: PlanApproval | undefined
  /** The user who requested the reconcile that found this revision, as far as is known. */
  readonly pushedBy?: string | undefined
  /** Who made the generation of the unit that the pass is the first to observe, as far as is known. */
  readonly changedBy?: string | undefined
  /** The author of this revision, as the source says. */
  readonly author?: string | undefined
  /** What has been done so far, in addition to what was noted before. */
  readonly changes?: readonly RecordedChange[]
  /** The pass continues what an earlier one began at this time, in milliseconds since the epoch. */
  readonly continues?: number | undefined
  /** The source is unchanged, but other inputs of the build have changed: values or variables. */
  readonly hasNewInputs?: boolean
  /** The result of the work, if it differs from that of the pass. Of several results the first failure counts. */
  readonly ended?: { readonly isFailure: boolean; readonly reason: string; readonly message: string }
  /** Values that no text may quote, such as the error of a cluster that refuses an object: of Secrets, in all forms that occur. In addition to those that were noted before. */
  readonly secrets?: () => readonly string[]
  /** The objects that the pass applies: their names are no secret. */
  readonly objects?: () => readonly Pick<KubernetesObject, 'metadata'>[]
}

export interface PassNotes extends Omit<Note, 'phase' | 'changes'> {
  readonly phases: readonly { readonly name: string; readonly startedAt: number }[]
  readonly changes: readonly RecordedChange[]
}

/** Collects the notes of one pass. */
export interface NotesOfPass {
  add(note: Note): void
  /** All of them so far. */
  all(): PassNotes
}

/** Notes without content; `clock` is for the times at which phases start. */
export const notesOfPass = (clock: Pick<Clock, 'now'>): NotesOfPass => {
  let notes: PassNotes = { phases: [], changes: [] }
  return {
    add: ({ phase, changes = [], ...more }) => {
      const secrets = unionOfSecrets(notes.secrets, more.secrets)
      const isNew = phase !== undefined && notes.phases.at(-1)?.name !== phase
      notes = {
        ...notes,
        ...more,
        ...(secrets && { secrets }),
        ...(notes.ended?.isFailure && { ended: notes.ended }),
        changes: [...notes.changes, ...changes],
        phases: isNew ? [...notes.phases, { name: phase, startedAt: clock.now() }] : notes.phases,
      }
    },
    all: () => notes,
  }
}
