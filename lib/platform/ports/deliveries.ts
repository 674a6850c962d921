/**
 * Records of calls of webhooks, kept for days, and of the requests that were processed. Like runs they are not objects (runs.ts), and cost one write
 * each. Everything belongs to a Receiver, by its UID: a new one of the same name has none of it.
 */
export interface DeliveryStore {
  /** Stores a record; outcomes that are stored already under its place are kept. */
  add(record: NewDelivery): Promise<void>
  /** Stores how a triggered object ended, also if the record itself is not stored yet. */
  addOutcome(place: DeliveryPlace, outcome: DeliveryOutcome): Promise<void>
  get(place: DeliveryPlace): Promise<DeliveryRecord | undefined>
  /** The sealed request of a record, as long as it is kept. */
  payload(place: DeliveryPlace): Promise<Uint8Array | undefined>
  /** The newest first; fewer than the limit are the last ones. */
  page(query: DeliveryQuery): Promise<readonly DeliveryRecord[]>
  /** Whether this request was marked before; `request` identifies it among those of the Receiver. */
  wasProcessed(receiver: string, request: string): Promise<boolean>
  markProcessed(receiver: string, request: string, expires: number): Promise<void>
}

export interface DeliveryPlace {
  /** UID of the Receiver. */
  readonly receiver: string
  /** When the call arrived, in whole milliseconds since the epoch. */
  readonly startedAt: number
  readonly name: string
}

interface StoredDelivery extends DeliveryPlace {
  /** Sealed. */
  readonly body: Uint8Array
  /** Up to when calls of each class have used the Receiver's quota, in milliseconds since the epoch. */
  readonly used: QuotaUse
  /** Milliseconds since the epoch: from then on it is not read any more. */
  readonly expires: number
}

export interface QuotaUse {
  readonly verified: number
  readonly refused: number
}

export interface NewDelivery extends StoredDelivery {
  /** The sealed request, which may be kept for a shorter time. */
  readonly payload?: { readonly body: Uint8Array; readonly expires: number }
}

export interface DeliveryRecord extends StoredDelivery {
  readonly outcomes: readonly DeliveryOutcome[]
}

/** How a pass over an object ended that a delivery had triggered. */
export interface DeliveryOutcome {
  /** Of the object, among those that the delivery triggered. */
  readonly index: number
  readonly ready: boolean
  readonly reason: string
  readonly revision?: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface DeliveryQuery {
  /** UID of the Receiver. */
  readonly receiver: string
  /** Only those before this one, in the order of time and name. */
  readonly before?: Omit<DeliveryPlace, 'receiver'>
  /** Only those that arrived at this time or later. */
  readonly since?: number
  readonly limit: number
}
