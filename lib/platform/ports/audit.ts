/**
 * Records of requests that wrote to the hub, kept for months: one write each, never changed, read newest first, and expired after a time. Like runs
 * they are not objects (runs.ts). They are in one order for the whole hub, as a moment is what they are most often searched by.
 */
export interface AuditStore {
  add(record: AuditRecord): Promise<void>
  /** The newest first; fewer than the limit are the last ones. */
  page(query: AuditQuery): Promise<readonly AuditRecord[]>
}

export interface AuditPlace {
  /** When the request arrived, in whole milliseconds since the epoch. */
  readonly startedAt: number
  /** Distinguishes those of one millisecond. */
  readonly name: string
}

export interface AuditRecord extends AuditPlace {
  /** Sealed. */
  readonly body: Uint8Array
  /** Milliseconds since the epoch: from then on it is not read any more. */
  readonly expires: number
}

export interface AuditQuery {
  /** Only those before this one, in the order of time and name. */
  readonly before?: AuditPlace
  /** Only those that arrived at this time or later. */
  readonly since: number
  readonly limit: number
}
