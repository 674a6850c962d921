/** A part of a list, and where the next one begins. */
export interface Page<T> {
  /** Of all pages together. */
  readonly total: number
  readonly items: readonly T[]
  /** Absent on the last page. */
  readonly continue?: string
}

export interface PageOptions {
  readonly limit: number
  /** That of an earlier page: a position. */
  readonly continue?: string
}

/** A page from a position. Positions are not cursors: what is added or removed in between shifts them. */
export const pageOf = <T>(all: readonly T[], { limit, continue: from = '0' }: PageOptions): Page<T> => {
  const first = Number(from)
  const next = first + limit
  return {
    total: all.length,
    items: all.slice(first, next),
    ...(next < all.length && { continue: String(next) }),
  }
}
