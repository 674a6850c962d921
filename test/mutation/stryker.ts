import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { corpusFile } from '../conformance/corpus.ts'
import { type Mutant, mutantsOf, type Report } from './mutant.ts'

const stryker = '@stryker-mutator/core@10.0.0'

/** Suites of recorded cases that the unit tests of their room do not run. */
const recorded: Readonly<Record<string, string>> = {
  'engines/cel': 'cel',
  'engines/kustomize': 'kustomize',
  'engines/resource-set': 'resourceset',
  'engines/sops': 'sops',
  'engines/template': 'gotemplate',
  'engines/yaml': 'yaml',
}

/**
 * Changes the code of the targets, all of one room, in every way that Stryker knows, and runs the tests of the room against each change.
 * Stryker is fetched when it is first used: it is too large to be installed by everybody.
 */
export const mutantsIn = (room: string, targets: readonly string[]): readonly Mutant[] => {
  const scratch = mkdtempSync(join(tmpdir(), 'keelson-mutation-'))
  try {
    const [config, report] = [join(scratch, 'stryker.config.json'), join(scratch, 'report.json')]
    writeFileSync(config, JSON.stringify(configOf(targets, scratch, report)))
    const { status } = spawnSync('npx', ['--yes', '--package', stryker, '--', 'stryker', 'run', config], {
      stdio: 'inherit',
      env: {
        ...process.env,
        // The tests run in a copy of the project, beside which there is no corpus.
        KEELSON_CONFORMANCE: corpusFile('.'),
        KEELSON_SUITE: recorded[room],
        KEELSON_MUTATION_TESTS: JSON.stringify(testsOf(room)),
        KEELSON_MUTATION_ORDER: join(scratch, 'order.json'),
        // Some changes need a process of their own, which would compile all sources anew.
        NODE_COMPILE_CACHE: join(scratch, 'compiled'),
      },
    })
    if (status !== 0) throw new Error(`Stryker failed on ${targets.join(', ')}`)
    return mutantsOf(JSON.parse(readFileSync(report, 'utf8')) as Report)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Modules go first that only some tests load: what they do as they are loaded would seem to be done by the first of those tests alone. */
const testsOf = (room: string): readonly string[] => [
  `lib/${room}/**/*.ts`,
  `test/unit/${room}/**/*.test.ts`,
  ...(recorded[room] ? ['test/mutation/recorded.ts'] : []),
]

const configOf = (targets: readonly string[], scratch: string, report: string) => ({
  mutate: targets.map(target => (target.endsWith('.ts') ? `lib/${target}` : `lib/${target}/**/*.ts`)),
  plugins: [join(import.meta.dirname, 'in-process-runner.ts')],
  testRunner: 'in-process',
  coverageAnalysis: 'perTest',
  // Long, so that a slow machine is not taken for a test that noticed. Most endless loops are found by counting, not by waiting.
  timeoutMS: 10_000,
  ignorePatterns: ['*', '!lib/**', '!test/**', '!package.json'],
  // Stryker would ask TypeScript to rewrite it, by an interface that TypeScript 7 has no more.
  tsconfigFile: 'none',
  tempDirName: join(scratch, 'sandboxes'),
  reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only', 'json'],
  jsonReporter: { fileName: report },
  concurrency: availableParallelism(),
})
