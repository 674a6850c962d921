/** A request that wrote to the hub, or was to: an entry of the audit log that the hub keeps. Never with content of objects. */
export interface AuditEntry {
  /** When it arrived, RFC 3339 with milliseconds. */
  readonly at: string
  /** Its `Audit-Id`. */
  readonly id: string
  readonly user: string
  /** Whom the user impersonated. */
  readonly as?: string
  /** As of roles: create, update, patch, delete, deletecollection. */
  readonly verb: string
  readonly group?: string
  readonly version: string
  /** In the plural. */
  readonly resource: string
  readonly subresource?: string
  /** Absent for objects of no namespace. */
  readonly namespace?: string
  /** Absent for collections. */
  readonly name?: string
  /** The status of the response. */
  readonly code: number
  /** Why it was refused: a reason as of a Status, and its message. */
  readonly reason?: string
  readonly message?: string
  /** What the user did, where that is known, and why: `suspended: we measure`. */
  readonly action?: string
  /** The address that it came from. */
  readonly from?: string
  /** The program that sent it, such as `kubectl/v1.34.0`. */
  readonly by?: string
}

/** The newest first. */
export interface AuditPage {
  readonly items: readonly AuditEntry[]
  /** Where the following page begins: also after fewer entries than the limit, when many had to be read for them. */
  readonly continue?: string
}
