/** The files with which an embedded hub is installed, held to what people rely on. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { validate } from 'dockerfile-utils'

const folder = join(import.meta.dirname, '../../../docs/embedded')
const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8')
const unit = join(folder, 'keelson.service')

test('the linter has nothing to say about the Dockerfile', () => {
  assert.deepEqual(
    validate(dockerfile).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
    [],
  )
  assert.notDeepEqual(validate('FROM node\nRUM npm ci\n'), [])
})

test('the image runs as a user without rights, and writes to its volume only', () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  assert.match(last, /^USER node$/m)
  assert.match(last, /^VOLUME \/data$/m)
  assert.match(last, /^HEALTHCHECK /m)
  assert.match(last, /^ENTRYPOINT \["keelson", "serve", "--data", "\/data"\]$/m)
})

const analyze = '/usr/bin/systemd-analyze'
const without = existsSync(analyze) ? false : 'systemd-analyze is not installed here'

test('systemd rates the exposure of the unit as the page says', { skip: without }, () => {
  const rating = execFileSync(analyze, ['security', '--offline=true', '--no-pager', unit], { encoding: 'utf8' })
  const [, exposure = ''] = /Overall exposure level for keelson\.service: ([\d.]+) OK/.exec(rating) ?? []
  assert.ok(Number(exposure) > 0 && Number(exposure) < 2, rating.trim().split('\n').at(-1))
})

test('systemd knows every setting of the unit', { skip: without }, () => {
  const { stderr: said } = spawnSync(analyze, ['verify', unit], { encoding: 'utf8' })
  const others = said.split('\n').filter(line => line !== '' && !line.includes('/usr/bin/keelson is not executable'))
  assert.deepEqual(others, [])
})
