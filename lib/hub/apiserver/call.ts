import type { KindRegistry, ServedKind } from '../../foundations/kinds/all.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Hub } from '../store/hub.ts'
import type { Authorizer, User } from './authentication/caller.ts'
import type { Fairness } from './fairness/fairness.ts'
import { flowOf, isExempt } from './fairness/flow.ts'
import type { ServiceAccountTokens } from './identity/service-account-tokens.ts'
import type { ResourceRequest } from './request-info.ts'

/** What handlers work with. */
export interface Api {
  readonly hub: Hub
  readonly kinds: () => KindRegistry
  readonly clock: Clock
  readonly authorizer: Authorizer
  readonly tokens?: ServiceAccountTokens
  readonly fairness?: Pick<Fairness, 'unsent' | 'answers' | 'turns'>
}

/** One request about a resource, by somebody who may make it. */
export interface Call {
  readonly request: Request
  readonly query: URLSearchParams
  readonly info: ResourceRequest
  readonly served: ServedKind
  readonly user: User
  /** Warning headers of the answer, in the order in which they came up. */
  readonly warnings: string[]
  /** Settles when the client has all of the answer, or has gone. */
  readonly sent: Promise<unknown>
}

export type Handler = (api: Api, call: Call) => Promise<Response>

/** How an answer waits for its caller's turn to be made and sent a part further; undefined where nobody takes turns. */
export const turnOf = ({ fairness }: Api, { user }: Call): (() => Promise<void>) | undefined =>
  fairness && (() => fairness.turns.take(flowOf(user)))

/** The same for reading a page of objects. */
export const readTurnOf = ({ fairness }: Api, { user }: Call): (() => Promise<void>) | undefined =>
  fairness && (() => fairness.turns.takeToRead(flowOf(user)))

/** Room for a long answer within its caller's share. */
export interface Room {
  /** Waits until the answer may begin; see AnswerRoom. */
  enter(): Promise<void>
  /** Counts bytes that the answer holds until `taken` settles; without it, until all of the answer is taken. */
  hold(bytes: number, taken?: Promise<unknown>): void
}

/** Whoever is exempt has all the room there is, and takes turns like everyone. */
export const roomOf = ({ fairness }: Api, { user, request, sent }: Call): Room => {
  if (!fairness) return { enter: async () => {}, hold: () => {} }
  const { answers, turns } = fairness
  const flow = flowOf(user)
  if (isExempt(user)) return { enter: () => turns.takeToRead(flow), hold: () => {} }
  return { enter: () => answers.enter(flow, request), hold: (bytes, taken = sent) => answers.hold(flow, bytes, taken) }
}

/** The object that a request names. */
export const refOfCall = ({ info, served }: Call): ObjectRef => ({
  group: served.kind.group,
  kind: served.kind.kind,
  namespace: info.namespace,
  name: info.name,
})
