/** What `run()` of node:test yields, as far as it matters here. */
export interface TestEvent {
  readonly type: string
  readonly data: unknown
}

/** How node words the lines of its summary: `tests 12`, `pass 11`, ... */
const summaryLine = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/

/** Several test runs, one after the other, as one: the lines of their summaries come once, at the end, added up. */
export async function* oneSummary<E extends TestEvent>(runs: AsyncIterable<AsyncIterable<E>>): AsyncGenerator<E> {
  const totals = new Map<string, { readonly event: E; readonly sum: number }>()
  for await (const run of runs) {
    for await (const event of run) {
      const [, name, value] = summaryLine.exec(summaryMessage(event)) ?? []
      if (name) totals.set(name, { event, sum: (totals.get(name)?.sum ?? 0) + Number(value) })
      else yield event
    }
  }
  for (const [name, { event, sum }] of totals) {
    yield { ...event, data: { ...(event.data as object), message: `${name} ${sum}` } }
  }
}

/** A diagnostic outside of any file belongs to the run as a whole. */
function summaryMessage({ type, data }: TestEvent): string {
  const { message = '', nesting, file } = data as { message?: string; nesting?: number; file?: string }
  return type === 'test:diagnostic' && nesting === 0 && file === undefined ? message : ''
}
