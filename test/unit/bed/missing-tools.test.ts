import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isOfSeries } from '../../bed/go-command.ts'
import { tempDir } from '../../bed/temp-dir.ts'

const root = join(import.meta.dirname, '../../..')

/** What a machine with nothing but Node, which trusts no authority, is told before its tests begin. */
const told = (...suites: readonly string[]): string => {
  const script = `import { missingTools } from ${JSON.stringify(join(root, 'test/bed/missing-tools.ts'))}
    process.stdout.write((await missingTools(${JSON.stringify(suites)})) ?? '')`
  const [nothing, nobody] = [tempDir(), tempDir()]
  const env = { PATH: nothing, HOME: nothing, SSL_CERT_FILE: join(nobody, 'none.pem'), SSL_CERT_DIR: nobody }
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' })
}

test('a machine with nothing but Node gets one list of what to install, for the selected suites only', () => {
  const [header, ...lines] = told('unit', 'source').trimEnd().split('\n')
  assert.equal(header, 'This machine lacks what the tests use:')
  assert.deepEqual(
    lines.map(line => line.replace(/: for .*/, '').trim()),
    [
      'git',
      "git's http-backend",
      'openssl',
      'ssh-keygen',
      'bash',
      'Python 3 with venv and pip (for the AWS emulator)',
      'Go 1.26, or Python 3 with venv and pip, by which it is fetched',
      'certificates of public authorities (to fetch Go modules and Python packages)',
      'tar',
      'gzip',
      'On Debian or Ubuntu: apt-get install --yes git openssl openssh-client bash python3 python3-venv ca-certificates tar gzip',
    ],
  )
  assert.match(told('test/release/package.test.ts'), /^ {2}tar: for release$/m)
  assert.doesNotMatch(told('test/release/package.test.ts'), /git|Go/)
  assert.equal(told('mutation'), '')
})

test('a Go of the series that recordings were made with is used as it is, and no other', () => {
  assert.deepEqual(['1.26', '1.26.8'].map(isOfSeries), [true, true])
  assert.deepEqual(['1.25.9', '1.27.3', '1.260', '2.0', '1.2'].map(isOfSeries), [false, false, false, false, false])
})

test('every program that tests start is in the list, or its tests are skipped with the reason, or it comes with Node', () => {
  const listed = ['git', 'git-upload-pack', 'openssl', 'ssh-keygen', 'bash', 'python3', 'go', 'tar', 'gzip']
  const skippedWithout = ['gpg', 'gpgconf', 'unshare', 'zsh', 'fish', 'cc', 'script']
  const withNodeOrAnySystem = ['npx', 'npm', 'node', 'sh', 'cp', 'timeout', 'true']
  const known = new Set([...listed, ...skippedWithout, ...withNodeOrAnySystem])
  const calls = /\b(?:spawn|spawnSync|execFile|execFileSync|execFile\)|command|ending)\(\s*'([a-z][a-z0-9-]*)',\s*\[/g
  const unknown = globSync('test/**/*.ts', { cwd: root }).flatMap(file =>
    [...readFileSync(join(root, file), 'utf8').matchAll(calls)]
      .filter(([, program]) => !known.has(program!))
      .map(([, program]) => `${file}: ${program}`),
  )
  assert.deepEqual(unknown, [])
})
