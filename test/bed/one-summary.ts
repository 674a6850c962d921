/** What `run()` of node:test yields, as far as it matters here. */
export interface TestEvent {
  readonly type: string
  readonly data: unknown
}

interface Summary {
  readonly success: boolean
  readonly counts: Readonly<Record<string, number>>
  readonly duration_ms: number
}

/** How node words the lines of its summary: `tests 12`, `pass 11`, ... */
const summaryLine = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/

/**
 * Several test runs, one after the other, as one. The lines of their summaries come once, at the end, added up; then
 * the summary itself, at which the reporter lists the failed tests.
 */
export async function* oneSummary<E extends TestEvent>(runs: AsyncIterable<AsyncIterable<E>>): AsyncGenerator<E> {
  const lines = new Map<string, { readonly event: E; readonly sum: number }>()
  let summary: E | undefined
  for await (const run of runs) {
    for await (const event of run) {
      const [, name, value] = summaryLine.exec(messageOf(event)) ?? []
      if (name) lines.set(name, { event, sum: (lines.get(name)?.sum ?? 0) + Number(value) })
      else if (event.type === 'test:summary' && isOfRun(event)) summary = summary ? bothOf(summary, event) : event
      else yield event
    }
  }
  for (const [name, { event, sum }] of lines) {
    yield { ...event, data: { ...(event.data as object), message: `${name} ${sum}` } }
  }
  if (summary) yield summary
}

function messageOf(event: TestEvent): string {
  const { message = '', nesting } = event.data as { message?: string; nesting?: number }
  return event.type === 'test:diagnostic' && nesting === 0 && isOfRun(event) ? message : ''
}

/** Events about a single file name it. */
const isOfRun = ({ data }: TestEvent) => (data as { file?: string }).file === undefined

function bothOf<E extends TestEvent>(one: E, other: E): E {
  const [a, b] = [one.data as Summary, other.data as Summary]
  const counts = Object.fromEntries(Object.entries(a.counts).map(([name, n]) => [name, n + (b.counts[name] ?? 0)]))
  const merged: Summary = { success: a.success && b.success, counts, duration_ms: a.duration_ms + b.duration_ms }
  return { ...one, data: merged }
}
