/** Where a process elsewhere waits for changes, in place of polling every few seconds. A wake-up may be lost or doubled: it only says that there may be news. */
export interface WakeUps {
  /**
   * Makes the place of this name, if there is none, and returns a URL: a GET waits there for up to 20 seconds, and its response has a `<Message>` if
   * something woke it. The URL authorizes itself for a quarter of an hour, and opens nothing else.
   */
  open(place: string): Promise<string>
  /** Wakes who waits there, now or within minutes. Does nothing if there is no such place. */
  send(place: string): Promise<void>
  /** Deletes all places but these, which are only read if there is any. */
  keepOnly(places: () => Promise<Iterable<string>>): Promise<void>
}
