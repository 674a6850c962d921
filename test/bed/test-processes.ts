import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventsIn, failure } from './event-lines.ts'
import { noTests, type Summary, type TestEvent } from './one-summary.ts'
import { ifProcessEnds } from './teardown.ts'
import { disposableDir } from './temp-dir.ts'

export interface TestProcesses {
  /** How many may run at a time. */
  readonly concurrency: number
  /** In milliseconds, for each file. */
  readonly limit: number
  /** How long a process that was told to end has, in milliseconds, before it is killed. */
  readonly grace?: number
  readonly cwd: string
  readonly execArgv?: readonly string[]
}

/** Runs each file in a process of its own, in the given order, and yields the events of each when it has ended. */
export async function* runTestFiles(
  files: readonly string[],
  options: TestProcesses,
): AsyncGenerator<readonly TestEvent[]> {
  await using dir = disposableDir()
  const waiting = [...files.entries()]
  const running = new Map<number, Promise<{ readonly id: number; readonly events: readonly TestEvent[] }>>()
  while (waiting.length > 0 || running.size > 0) {
    while (waiting.length > 0 && running.size < options.concurrency) {
      const [id, file] = waiting.shift()!
      running.set(
        id,
        runTestFile(file, join(dir.path, String(id)), options).then(events => ({ id, events })),
      )
    }
    const { id, events } = await Promise.race(running.values())
    running.delete(id)
    yield events
  }
}

/**
 * Ends whatever the file does, and whatever it has started does: nothing of it is waited for but its process, and that not for longer than
 * the limit.
 */
async function runTestFile(
  file: string,
  dir: string,
  { limit, grace = 10_000, cwd, execArgv = [] }: TestProcesses,
): Promise<readonly TestEvent[]> {
  mkdirSync(dir, { recursive: true })
  const [told, said] = [join(dir, 'events.jsonl'), join(dir, 'output')]
  const output = openSync(said, 'w')
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined } // set where a test starts this: to its reporter, not ours
  const reporter = ['--test-reporter', join(import.meta.dirname, 'event-lines.ts'), '--test-reporter-destination', told]
  const child = spawn(process.execPath, [...execArgv, ...reporter, file], {
    cwd,
    env,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const done = ifProcessEnds(() => child.kill('SIGTERM'))
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const timer = new AbortController()
  const ended = await Promise.race([exit, sleep(limit, undefined, { signal: timer.signal }).catch(() => undefined)])
  timer.abort()
  if (!ended) {
    child.kill('SIGTERM') // what it holds is put away (teardown.ts)
    await Promise.race([exit, sleep(grace, undefined, { ref: false })])
    child.kill('SIGKILL')
    await exit
  }
  done()

  const events = existsSync(told) ? eventsIn(readFileSync(told, 'utf8')) : []
  const message = readFileSync(said, 'utf8')
  const printed: readonly TestEvent[] = message === '' ? [] : [{ type: 'test:stdout', data: { file, message } }]
  const fault = faultOf(events, ended, limit, message)
  return [...printed, ...events, ...(fault === undefined ? [] : unfinished(file, fault, events))]
}

/** What is wrong with how a process ended that its tests have not told. */
function faultOf(
  events: readonly TestEvent[],
  ended: readonly [number | null, NodeJS.Signals | null] | undefined,
  limit: number,
  printed: string,
): string | undefined {
  if (!ended) return `ran for more than ${Number((limit / 60_000).toFixed(2))} minutes`
  const [code, signal] = ended
  if (signal) return `was ended by ${signal}`
  const failed = events.some(({ type }) => type === 'test:fail')
  if (code !== 0 && !failed) return `ended with exit code ${code}${printed && `\n${printed.trim().slice(-2_000)}`}`
  return events.some(({ type }) => type === 'test:summary') ? undefined : 'ended before its tests did'
}

interface Named {
  readonly name: string
  readonly testId: number
}

/** The file as a failed test, which names those of its tests that had begun. */
function unfinished(file: string, fault: string, events: readonly TestEvent[]): readonly TestEvent[] {
  const of = (type: string) => events.filter(event => event.type === type).map(({ data }) => data as Named)
  const complete = new Set(of('test:complete').map(({ testId }) => testId))
  const begun = of('test:dequeue').filter(({ testId }) => !complete.has(testId))
  const during = begun.length === 0 ? '' : `, in ${begun.map(({ name }) => `"${name}"`).join(', ')}`
  const [what, ...more] = fault.split('\n')
  const error = failure({ shown: [`${file} ${what}${during}`, ...more].join('\n') })
  const place = { name: file, nesting: 0, file, line: 1, column: 1 }
  return [
    { type: 'test:fail', data: { ...place, testNumber: 1, details: { duration_ms: 0, error } } },
    { type: 'test:summary', data: summaryWith(events) },
  ]
}

/** With the file as one more failed test; of a process that could not say it, what it had told before. */
function summaryWith(events: readonly TestEvent[]): Summary {
  if (events.some(({ type }) => type === 'test:summary'))
    return { success: false, counts: { ...noTests, tests: 1, failed: 1 }, duration_ms: 0 }
  const [passed, failed] = ['test:pass', 'test:fail'].map(type => events.filter(event => event.type === type).length)
  const counts = { ...noTests, tests: passed! + failed! + 1, passed: passed!, failed: failed! + 1 }
  return { success: false, counts, duration_ms: 0 }
}
