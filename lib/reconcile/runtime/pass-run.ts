import type { Tally } from '../../clusters/client/tally.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Lease } from '../../platform/ports/leases.ts'
import type { NotesOfPass } from './pass-notes.ts'
import type { NewEvent, Outcome, Reconciler } from './reconciler.ts'
import type { Redact } from './redaction.ts'
import type { StatusWriter } from './status-writer.ts'

/** One pass over one object that is due. */
export interface PassRun {
  readonly reconciler: Reconciler<KubernetesObject>
  readonly object: KubernetesObject
  readonly lease: Lease
  readonly startedAt: number
  /** Its visit checks it next, unless the pass sets a due time. */
  readonly visited: boolean
  /** Aborts when the lease is lost, or the process stops. */
  readonly holding: AbortSignal
  /** Aborts in these cases too, and when the pass times out. */
  readonly signal: AbortSignal
  readonly writer: StatusWriter
  /** Events that are not recorded yet. */
  readonly events: NewEvent[]
  readonly notes: NotesOfPass
  readonly redact: Redact
  /** What it exchanges with clusters. */
  readonly tally: Tally
}

/** How a pass ended, for the log; and when the next one is due (ms since the epoch; null = never). */
export interface End {
  readonly outcome: Outcome<KubernetesObject>['type'] | 'suspended' | 'deleted'
  readonly reason?: string
  readonly message?: string
  readonly cause?: unknown
  /** Nothing is wrong, see `Failed`. */
  readonly isWait?: boolean
  /** The request is handled by the next pass. */
  readonly leavesRequest?: boolean
  /** It has found nothing new, and stored nothing but when it is due. */
  readonly isAtRest?: boolean
  readonly due: number | null
  /** The due time that is stored until the next message arrives; undefined if another writer has set it in the meantime. */
  readonly dueStored?: number
}

export interface PassSettings {
  /** How far intervals are spread, in both directions. Flux's default is 5. */
  readonly jitterPercentage: number
  /** Passes that are due within this time travel on a message; a tick finds the rest. Milliseconds. */
  readonly tickMs: number
  /** Progress that lasts less than this is not stored, as nobody would see it; 0 stores each step. Milliseconds. */
  readonly momentMs: number
  /** The same for a pass that has found nothing new. */
  readonly routineMomentMs: number
}
