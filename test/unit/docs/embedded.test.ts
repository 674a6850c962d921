/** The files with which an embedded hub and runners are installed, held to what people rely on. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { validate } from 'dockerfile-utils'

const folder = join(import.meta.dirname, '../../../docs/embedded')
const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8')
const units = ['keelson.service', 'keelson-runner@.service']

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

for (const unit of units) {
  test(`systemd rates the exposure of ${unit} as the page says`, { skip: without }, () => {
    const args = ['security', '--offline=true', '--no-pager', join(folder, unit)]
    const rating = execFileSync(analyze, args, { encoding: 'utf8' })
    const [, exposure = ''] = /Overall exposure level for keelson\S*\.service: ([\d.]+) OK/.exec(rating) ?? []
    assert.ok(Number(exposure) > 0 && Number(exposure) < 2, rating.trim().split('\n').at(-1))
  })

  test(`systemd knows every setting of ${unit}`, { skip: without }, () => {
    const { stderr: said } = spawnSync(analyze, ['verify', join(folder, unit)], { encoding: 'utf8' })
    const others = said.split('\n').filter(line => line !== '' && !line.includes('/usr/bin/keelson is not executable'))
    assert.deepEqual(others, [])
  })
}

test('a runner is confined as a hub is', () => {
  const [hub, runner] = units.map(unit => {
    const text = readFileSync(join(folder, unit), 'utf8')
    return text.slice(text.indexOf('# Everything else is read-only or out of sight.'))
  })
  assert.equal(runner, hub)
})

test('the page about runners has each variable of their unit, and its files', () => {
  const unit = readFileSync(join(folder, 'keelson-runner@.service'), 'utf8')
  const page = readFileSync(join(folder, '../clusters.md'), 'utf8')
  const named = unit.match(/KEELSON_\w+|(?<=\/etc\/keelson\/runner\/)%i\.\w+/g) ?? []
  assert.ok(named.length > 4)
  const missing = named.filter(name => !page.includes(name.replace('%i', 'aurora')))
  assert.deepEqual(missing, [])
})
