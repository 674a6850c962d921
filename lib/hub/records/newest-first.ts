/** What the order of records is made of. */
interface Ordered {
  readonly startedAt: number
  readonly namespace: string
  readonly name: string
}

/** Merges sorted sources: by time, namespace and name, the latest first. */
export async function* newestFirst<T extends Ordered>(
  sources: readonly AsyncGenerator<T, void>[],
): AsyncGenerator<T, void> {
  const heads = (await Promise.all(sources.map(async source => ({ source, next: await source.next() })))).filter(
    ({ next }) => !next.done,
  )
  while (heads.length > 0) {
    let first = 0
    for (let at = 1; at < heads.length; at++)
      if (isBefore(heads[at]!.next.value!, heads[first]!.next.value!)) first = at
    const head = heads[first]!
    yield head.next.value!
    head.next = await head.source.next()
    if (head.next.done) heads.splice(first, 1)
  }
}

const isBefore = (a: Ordered, b: Ordered): boolean => {
  if (a.startedAt !== b.startedAt) return a.startedAt > b.startedAt
  return a.namespace !== b.namespace ? a.namespace > b.namespace : a.name > b.name
}
