import type { KindRegistry, ServedKind } from '../../foundations/kinds/all.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { DeliveryReader, Redeliver } from '../deliveries/delivery-reader.ts'
import type { Hub } from '../store/hub.ts'
import type { Authorizer, User } from './authentication/caller.ts'
import type { Fairness } from './fairness/fairness.ts'
import { flowOf, isExempt } from './fairness/flow.ts'
import type { ServiceAccountTokens } from './identity/service-account-tokens.ts'
import type { ResourceRequest } from './request-info.ts'

/** Deliveries, and how one is repeated. */
export type ServedDeliveries = DeliveryReader & { readonly redeliver: Redeliver }

/** The dependencies of handlers. */
export interface Api {
  readonly hub: Hub
  readonly kinds: () => KindRegistry
  readonly clock: Clock
  readonly authorizer: Authorizer
  readonly tokens?: ServiceAccountTokens
  readonly deliveries?: ServedDeliveries
  readonly fairness?: Pick<Fairness, 'unsent' | 'responseMemory' | 'turns'>
}

/** An authorized request about a resource. */
export interface Call {
  readonly request: Request
  readonly query: URLSearchParams
  readonly info: ResourceRequest
  readonly served: ServedKind
  readonly user: User
  /** Warning headers of the response, in order. */
  readonly warnings: string[]
  /** Settles when the client has received the whole response or disconnected. */
  readonly sent: Promise<unknown>
}

export type Handler = (api: Api, call: Call) => Promise<Response>

/** Waits for the caller's turn to create and send the next part of a response; undefined if there are no turns. */
export const turnOf = ({ fairness }: Api, { user }: Call): (() => Promise<void>) | undefined =>
  fairness && (() => fairness.turns.take(flowOf(user)))

/** The same for reading a page of objects. */
export const readTurnOf = ({ fairness }: Api, { user }: Call): (() => Promise<void>) | undefined =>
  fairness && (() => fairness.turns.takeToRead(flowOf(user)))

/** The caller's share of memory for long responses. */
export interface MemoryShare {
  /** Waits until the response may begin; see ResponseMemory. */
  enter(): Promise<void>
  /** Counts bytes that the response holds until `taken` settles; if absent, until the whole response is taken. */
  hold(bytes: number, taken?: Promise<unknown>): void
}

/** Exempt callers have unlimited memory, but take turns like everyone else. */
export const memoryShareOf = ({ fairness }: Api, { user, request, sent }: Call): MemoryShare => {
  if (!fairness) return { enter: async () => {}, hold: () => {} }
  const { responseMemory, turns } = fairness
  const flow = flowOf(user)
  if (isExempt(user)) return { enter: () => turns.takeToRead(flow), hold: () => {} }
  return {
    enter: () => responseMemory.enter(flow, request),
    hold: (bytes, taken = sent) => responseMemory.hold(flow, bytes, taken),
  }
}

/** The object that a request refers to. */
export const refOfCall = ({ info, served }: Call): ObjectRef => ({
  group: served.kind.group,
  kind: served.kind.kind,
  namespace: info.namespace,
  name: info.name,
})
