import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { isNewEnough } from '../bed/go-command.ts'
import { tempDir } from '../bed/temp-dir.ts'

/** What is told on a machine whose PATH is an empty folder. */
const toldWithoutPrograms = (...suites: readonly string[]): string => {
  const program = `
    import { missingTools } from ${JSON.stringify(join(import.meta.dirname, '../bed/missing-tools.ts'))}
    console.log((await missingTools(${JSON.stringify(suites)})) ?? 'nothing')`
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { PATH: tempDir() },
  })
}

test('all that a fresh machine lacks is told at once, with the command that installs it', () => {
  const told = toldWithoutPrograms('source', 'deploy')
  for (const name of ['git', "git's http-backend", 'openssl', 'Python 3 with venv', 'Go 1.26 or newer', 'tar'])
    assert.match(told, new RegExp(`^ {2}${name}.*: for (source|deploy|source, deploy|deploy, source)`, 'm'))
  assert.match(
    told,
    /\napt-get install --yes git openssl python3 python3-venv tar\n|: apt-get install --yes git openssl/,
  )
})

test('only what the suites that are asked for use, a file standing for its suite', () => {
  const told = toldWithoutPrograms('test/release/package.test.ts')
  assert.match(told, /^ {2}tar: for release$/m)
  assert.doesNotMatch(told, /git|Go/)
  assert.equal(toldWithoutPrograms('browser').trim(), 'nothing')
})

test('a Go as old as the modules here, or newer, is used as it is', () => {
  assert.deepEqual(['1.26', '1.26.8', '1.27.3', '2.0'].map(isNewEnough), [true, true, true, true])
  assert.deepEqual(['1.25.9', '1.9', '0.1'].map(isNewEnough), [false, false, false])
})
