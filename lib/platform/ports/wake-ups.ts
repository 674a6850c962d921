/** Wakes a process elsewhere that waits for changes. A wake-up may be lost or doubled: it only says that there may be news. */
export interface Waker {
  /** Wakes who waits at a place, now or within minutes. Does nothing if nobody does. */
  send(place: string): Promise<void>
}

/** Places outside of this process, at which others wait in place of polling every few seconds. */
export interface WakeUps extends Waker {
  /**
   * Makes the place of this name, if there is none, and returns a URL: a GET waits there for up to 20 seconds, and its response has a `<Message>` if
   * something woke it. The URL authorizes itself for a quarter of an hour, and opens nothing else.
   */
  open(place: string): Promise<string>
  /** Deletes all places but these, which are only read if there is any. */
  keepOnly(places: () => Promise<Iterable<string>>): Promise<void>
}

/** Places in this process, at which requests of others wait. */
export interface HeldWakeUps extends Waker {
  /** How many wake-ups were sent so far, to any place. */
  count(): number
  /** Waits for a wake-up of a place after so many: for `ms` at most, or until the signal aborts; resolves to whether there was one. Never fails. */
  wait(place: string, after: number, ms: number, signal: AbortSignal): Promise<boolean>
}
