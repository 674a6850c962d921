import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>
  /** Comes inside another package's archive, with whatever of its own dependencies lies there. */
  readonly inBundle?: true
}

// `npm install` forgets binaries for other platforms when its registry does not have them, and `npm ci` then refuses
// the whole file on a fresh clone. Whoever adds a dependency puts such entries back: take them from git.
test('package-lock.json holds every optional dependency that its packages name', () => {
  const text = readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, Locked>> }
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {}, inBundle }]) =>
    Object.keys(inBundle ? {} : optionalDependencies)
      .filter(name => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages))
      .map(name => `${name} of ${path}`),
  )
  assert.deepEqual(missing, [])
})
