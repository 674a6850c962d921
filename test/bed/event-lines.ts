/**
 * The events of node:test as lines of JSON, written by the process of a test file (as its `--test-reporter`) and read by the one that
 * has started it. Node's own way between the two is the standard output, which whatever a test starts writes to as well: a process that
 * is killed in the middle of an event makes the reader spin for ever (nodejs/node#62693), one that outlives its test makes it wait.
 */
import { inspect } from 'node:util'
import type { TestEvent } from './one-summary.ts'

/** An error as the process that had it shows it: classes and properties of an error don't survive JSON. */
interface ToldError {
  readonly shown: string
  readonly failureType?: string
}

interface Failed {
  readonly details?: { readonly error?: Error & { readonly failureType?: string } }
}

/** The words of the summary at the end of a file: its numbers follow as an event of their own. */
const summaryWords = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/

/**
 * What `--test-reporter` names. What else node says behind the plan of the whole file is kept: an import that failed while other tests
 * ran is told nowhere else.
 */
export default async function* eventLines(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let isOver = false
  for await (const { type, data } of events) {
    isOver ||= type === 'test:plan' && (data as { nesting: number }).nesting === 0
    if (isOver && type === 'test:diagnostic' && summaryWords.test((data as { message: string }).message)) continue
    const { details } = data as Failed
    const withError = details?.error && { ...(data as object), details: { ...details, error: told(details.error) } }
    yield `${JSON.stringify({ type, data: withError ?? data })}\n`
  }
}

/** Each test that fails has an error of node's around what was thrown. */
const told = (error: Error & { readonly failureType?: string }): ToldError => ({
  shown: inspect(error.cause ?? error),
  failureType: error.failureType,
})

/** The events in `lines`, of which the last may be cut off. */
export const eventsIn = (lines: string): readonly TestEvent[] =>
  lines
    .split('\n')
    .slice(0, -1)
    .map(line => revived(JSON.parse(line) as TestEvent))

function revived(event: TestEvent): TestEvent {
  const { details } = event.data as { details?: { error?: ToldError } }
  return details?.error
    ? { ...event, data: { ...(event.data as object), details: { ...details, error: failure(details.error) } } }
    : event
}

/** What node's reporters print as `shown`. */
export const failure = ({ shown, failureType }: ToldError): object => ({
  code: 'ERR_TEST_FAILURE',
  failureType,
  cause: { [inspect.custom]: () => shown },
})
