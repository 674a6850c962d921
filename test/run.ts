/**
 * `npm test`: all suites; `npm test -- cluster e2e` runs the named ones, and `npm test -- test/cluster/bed.test.ts` a
 * file. A suite is a folder of test/ with tests in it.
 */
import { existsSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { spec } from 'node:test/reporters'
import { costReport, costsIn, longestFirst, rememberCosts, rememberedCosts } from './bed/file-costs.ts'
import { builtGoTool, cacheDir, type GoTool, goTool } from './bed/go-tool.ts'
import { memoryDir } from './bed/memory-dir.ts'
import { missingTools, suiteOf } from './bed/missing-tools.ts'
import { oneSummary, type TestEvent } from './bed/one-summary.ts'
import { packagedCommand } from './bed/packaged-command.ts'
import { registryTool } from './bed/registry-binary.ts'
import { disposableDir } from './bed/temp-dir.ts'
import { runTestFiles } from './bed/test-processes.ts'
import { kubectlTool, testclusterTool } from './bed/testcluster.ts'

const root = join(import.meta.dirname, '..')

/** Suites that do without the test clusters. */
const quick = ['unit', 'contracts', 'aws', 'conformance', 'source']
const suites = [...new Set(globSync('test/*/**/*.test.ts', { cwd: root }).map(file => file.split(sep)[1]!))].sort()

const asked = process.argv.slice(2)
const wanted = asked.length > 0 ? asked : suites

const unknown = wanted.filter(name => !suites.includes(name) && !existsSync(name))
if (unknown.length > 0) {
  console.error(`no such suite or file: ${unknown.join(', ')}. The suites are ${suites.join(', ')}`)
  process.exit(2)
}

const isQuick = (name: string): boolean => quick.includes(suiteOf(name))

const missing = await missingTools(wanted)
if (missing !== undefined) {
  console.error(missing)
  process.exit(2)
}

const minutes = (count: number): number => count * 60_000

/** The unit tests are two files, which load the others: a process for each would take 20 times as long. */
const filesOf = (name: string): string[] => {
  if (!suites.includes(name)) return [name]
  if (name === 'unit') return ['test/unit/all.ts', 'test/unit/reconcile/all.ts']
  return globSync(`test/${name}/**/*.test.ts`, { cwd: root }).sort()
}

// What one process has compiled no other compiles anew, in later runs neither: some tenths of a second for each of hundreds.
process.env.NODE_COMPILE_CACHE ??= join(cacheDir(), 'compiled')

// Everything temporary, the data of clusters and hubs among it, and that of the programs that they start.
process.env.TMPDIR ??= memoryDir() ?? tmpdir()

await using dir = disposableDir()
const costsOfThisRun = join(dir.path, 'costs.jsonl')
const costsOfEarlierRuns = join(cacheDir(), 'test-costs.jsonl')
process.env.KEELSON_TEST_COSTS = costsOfThisRun
writeFileSync(costsOfThisRun, '')

// The program under test, as the package has it (bed/keelson-program.ts).
if (!wanted.every(name => suiteOf(name) === 'unit')) {
  const folder = join(dir.path, 'package')
  process.env.KEELSON_TEST_PROGRAM = await packagedCommand(folder)
  // The console is there as soon as a test has bundled it.
  for (const part of ['node_modules', 'docs', 'dist/console']) symlinkSync(join(root, part), join(folder, part))
}

/**
 * Keeps all processors busy by itself: thousands of clients in one process, whose sockets fill up faster than it can read them beside other
 * tests, or a deployed hub, whose functions then exceed their time.
 */
const runsAlone = (file: string): boolean => file.endsWith('-load.test.ts') || file === 'test/deploy/hub-on-aws.test.ts'

// More at a time than there are processors: they also wait, for other processes and for time to pass.
const runFiles = (files: readonly string[], concurrency = 2 * availableParallelism()) =>
  runTestFiles(longestFirst(files, rememberedCosts(costsOfEarlierRuns)), {
    concurrency,
    limit: minutes(40), // ends what hangs; on a busy machine what takes a minute may take a quarter of an hour
    cwd: root,
    execArgv: ['--import', join(root, 'test/bed/report-cost.ts')],
  })

/**
 * What suites use, in the order in which it is built: outside of the time that tests have, as that takes a quarter of an hour on a busy
 * machine. Nobody waits for it to hear of suites that need nothing.
 */
const built = [
  { tools: [registryTool], isFor: (name: string) => suiteOf(name) === 'source' },
  { tools: [registryTool, testclusterTool, kubectlTool], isFor: (name: string) => !isQuick(name) },
]

/** Together, unless something is still to be built. What runs alone runs last. */
async function* everything() {
  const isMissing = ({ tools }: (typeof built)[number]) => tools.some(tool => !builtGoTool(tool))
  const later = built.filter(isMissing)
  const alone = wanted.flatMap(filesOf).filter(runsAlone)
  const filesFor = (isWanted: (name: string) => boolean) =>
    wanted
      .filter(isWanted)
      .flatMap(filesOf)
      .filter(file => !runsAlone(file))
  const first = filesFor(name => !later.some(({ isFor }) => isFor(name)))
  if (first.length > 0) yield* runFiles(first)
  for (const { tools, isFor } of later) {
    const files = filesFor(isFor)
    if (files.length === 0) continue
    if (!(await builds(tools))) return
    yield* runFiles(files)
  }
  if (alone.length > 0) yield* runFiles(alone, 1)
}

/** Without it, what ran still gets its summary; the exit code tells of the rest. */
async function builds(tools: readonly GoTool[]): Promise<boolean> {
  try {
    for (const tool of tools) await goTool(tool)
    return true
  } catch (error) {
    console.error(`✖ ${(error as Error).message}: the suites that need it did not run`)
    process.exitCode = 1
    return false
  }
}

async function* withExitCode(events: AsyncIterable<TestEvent>) {
  for await (const event of events) {
    if (event.type === 'test:fail') process.exitCode = 1
    yield event
  }
}

const events = oneSummary(everything(), () => performance.now())
await pipeline(withExitCode(events), new spec(), process.stdout, { end: false })

const costs = [...costsIn(readFileSync(costsOfThisRun, 'utf8')).values()]
rememberCosts(costsOfEarlierRuns, costs)
console.log(`\n${costReport(costs)}`)
