/** A time zone as time.Time prints it at one moment. */
export interface Zone {
  readonly name: string
  /** Seconds east of Greenwich. */
  readonly offset: number
}

export const UTC: Zone = { name: 'UTC', offset: 0 }
/** The process's zone, which Go treats as a different one, with the same name and output. */
export const LOCAL: Zone = { ...UTC }
