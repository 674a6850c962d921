/**
 * npm run mutate -- ROOM...
 *
 * Mutation testing of pure rooms (`semver`, `ignore`, `template/functions` ...) by Stryker: each room's code is changed in hundreds of small
 * ways, and its unit tests must notice every one. Prints the changes that they did not notice, and a score for each file. Minutes for
 * a small room, hours for a large one. Stryker is fetched when it is first used: it is too large to be installed by everybody.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { corpusFile } from '../conformance/corpus.ts'

const stryker = ['@stryker-mutator/core@10.0.0', '@stryker-mutator/tap-runner@10.0.0']

const configOf = (room: string, scratch: string) => ({
  mutate: [`lib/${room}/**/*.ts`],
  testRunner: 'tap',
  tap: {
    testFiles: [`test/unit/${room}/**/*.test.ts`],
    nodeArgs: ['--test-reporter=tap', '-r', '{{hookFile}}', '{{testFile}}'],
  },
  coverageAnalysis: 'perTest',
  ignorePatterns: ['*', '!lib/**', '!test/**', '!package.json'],
  // Stryker would ask TypeScript to rewrite it, by an interface that TypeScript 7 has no more.
  tsconfigFile: 'none',
  tempDirName: join(scratch, 'sandboxes'),
  reporters: ['clear-text'],
  clearTextReporter: { logTests: false, allowColor: process.stdout.isTTY },
  concurrency: 2,
})

const rooms = process.argv.slice(2)
if (rooms.length === 0) {
  console.error('npm run mutate -- ROOM..., a room being a folder of lib with unit tests of the same name')
  process.exit(2)
}
for (const room of rooms) {
  const scratch = mkdtempSync(join(tmpdir(), 'keelson-mutation-'))
  const config = join(scratch, 'stryker.config.json')
  writeFileSync(config, JSON.stringify(configOf(room, scratch)))
  const packages = stryker.flatMap(name => ['--package', name])
  const { status } = spawnSync('npx', ['--yes', ...packages, '--', 'stryker', 'run', config], {
    stdio: 'inherit',
    // The tests run in a copy of the project, beside which there is no corpus.
    env: { ...process.env, KEELSON_CONFORMANCE: corpusFile('.') },
  })
  rmSync(scratch, { recursive: true, force: true })
  if (status !== 0) process.exitCode = 1
}
