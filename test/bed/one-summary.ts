/** What reporters of node:test take and give, as far as it matters here. */
export interface TestEvent {
  readonly type: string
  readonly data: unknown
}

type Counts = Readonly<Record<'tests' | 'suites' | 'passed' | 'failed' | 'cancelled' | 'skipped' | 'todo', number>>

/** What a process tells of all its tests, at its end. */
export interface Summary {
  readonly success: boolean
  readonly counts: Counts
  readonly duration_ms: number
}

export const noTests: Counts = { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 }

/**
 * The events of several test processes as those of one: what each says of itself comes once, at the end, added up. `elapsed` tells how
 * long they took together, in milliseconds: they run side by side.
 */
export async function* oneSummary(
  processes: AsyncIterable<readonly TestEvent[]>,
  elapsed: () => number,
): AsyncGenerator<TestEvent> {
  let success = true
  let counts = noTests
  for await (const events of processes) {
    for (const event of events) {
      if (event.type !== 'test:summary') {
        yield event
        continue
      }
      const summary = event.data as Summary
      success &&= summary.success
      counts = sumOf(counts, summary.counts)
    }
  }
  const duration_ms = elapsed()
  const { passed: pass, failed: fail, tests, suites, ...others } = counts
  for (const [name, value] of Object.entries({ tests, suites, pass, fail, ...others, duration_ms }))
    yield { type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${value}`, level: 'info' } }
  yield { type: 'test:summary', data: { success, counts, duration_ms } satisfies Summary }
}

const sumOf = (a: Counts, b: Counts): Counts => {
  const names = Object.keys(noTests) as readonly (keyof Counts)[]
  return Object.fromEntries(names.map(name => [name, a[name] + (b[name] ?? 0)])) as unknown as Counts
}
