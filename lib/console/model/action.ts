/** What a person can do on a page: what is to be confirmed before, which requests, and what is said after. */
import type { Run } from '../../foundations/kinds/run.ts'
import type { WriteRequest } from '../../hub-client/send-requests.ts'

/** What is to be confirmed before an action. */
export interface Question {
  readonly title: string
  readonly text: string
  readonly note?: string
  /** The runs whose changes it takes back, the newest first. */
  readonly takenBack?: readonly Run[]
  /** The text of the button that goes through with it. */
  readonly confirm: string
  /** The reason or comment that goes with it. */
  readonly reason?: { readonly label: string; readonly isRequired: boolean }
  /** How many hours it may be for; absent if it has no end. */
  readonly hours?: readonly number[]
}

export interface Confirmed {
  readonly reason: string
  readonly hours: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface Action {
  readonly label: string
  readonly style: 'main' | 'plain' | 'danger'
  /** The key that does the same. */
  readonly key?: string
  /** Absent for what harms nothing. */
  readonly question?: Question
  /** What to send, one after the other. */
  requests(confirmed: Confirmed): readonly WriteRequest[]
  /** Said when it is done. */
  readonly done: string
}

/** What goes with a decision. */
export const decisionComment = { label: 'Comment, for the record', isRequired: false } as const

/** What the person has written; undefined for nothing. */
export const commentOf = ({ reason }: Confirmed): string | undefined => reason || undefined
