/** A time zone as time.Time shows it at one moment. */
export interface Zone {
  readonly name: string
  /** Seconds east of Greenwich. */
  readonly offset: number
}

export const UTC: Zone = { name: 'UTC', offset: 0 }
/** That of the process, which is another for Go, though it is called and shown the same. */
export const LOCAL: Zone = { ...UTC }
