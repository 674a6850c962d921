/**
 * `npm test`: all suites, those first that take seconds; `npm test -- cluster e2e` runs the named ones, and
 * `npm test -- test/cluster/bed.test.ts` a file. A suite is a folder of test/ with tests in it.
 */
import { existsSync, globSync } from 'node:fs'
import { join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { oneSummary } from './bed/one-summary.ts'
import { testcluster } from './bed/testcluster.ts'

const root = join(import.meta.dirname, '..')

/** Suites that need nothing built, quickest first; all others follow, and may use the test clusters. */
const quick = ['unit', 'contracts', 'aws', 'conformance', 'source']
const suites = [...new Set(globSync('test/*/**/*.test.ts', { cwd: root }).map(file => file.split(sep)[1]!))].sort()

const asked = process.argv.slice(2)
const wanted = asked.length > 0 ? asked : suites

const unknown = wanted.filter(name => !suites.includes(name) && !existsSync(name))
if (unknown.length > 0) {
  console.error(`no such suite or file: ${unknown.join(', ')}. The suites are ${suites.join(', ')}`)
  process.exit(2)
}

const minutes = (count: number): number => count * 60_000

/** The unit tests are one file, which loads the others: a process for each would take 20 times as long. */
const filesOf = (name: string): string[] => {
  if (!suites.includes(name)) return [name]
  if (name === 'unit') return ['test/unit/all.ts']
  return globSync(`test/${name}/**/*.test.ts`, { cwd: root }).sort()
}

async function* everything() {
  const first = quick.filter(name => wanted.includes(name)).flatMap(filesOf)
  const rest = wanted.filter(name => !quick.includes(name)).flatMap(filesOf)
  if (first.length > 0) yield run({ files: first, cwd: root, concurrency: 2, timeout: minutes(10) })
  if (rest.length === 0) return
  if (!(await builds(testcluster))) return
  yield run({ files: rest, cwd: root, concurrency: 2, timeout: minutes(15) })
}

/** Without it, what ran still gets its summary; the exit code tells of the rest. */
async function builds(tool: () => Promise<string>): Promise<boolean> {
  try {
    await tool()
    return true
  } catch (error) {
    console.error(`✖ ${(error as Error).message}: the suites that need it did not run`)
    process.exitCode = 1
    return false
  }
}

async function* withExitCode(events: ReturnType<typeof oneSummary>) {
  for await (const event of events) {
    if (event.type === 'test:fail') process.exitCode = 1
    yield event
  }
}

await pipeline(withExitCode(oneSummary(everything())), new spec(), process.stdout)
