import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { importsOf } from '../bed/imports-of.ts'

const root = join(import.meta.dirname, '../..')
const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Readonly<
  Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>
>

/** Needed by whoever installs the package, though no file of it imports them. */
const notImported: Readonly<Record<string, string>> = {
  '@types/semver': 'the exported module semver has its types',
  hono: 'peer of @hono/node-server',
}

/** Packages that the published code imports. The console is published as a bundle, which has in it what it imports. */
const imported = new Set(
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'lib', 'functions', 'events'], {
    cwd: root,
  })
    .toString()
    .split('\n')
    .filter(path => /\.[jt]s$/.test(path) && !path.startsWith('lib/console/') && existsSync(join(root, path)))
    .flatMap(path => importsOf(readFileSync(join(root, path), 'utf8')))
    .filter(({ from }) => !/^(node:|\.)/.test(from))
    .map(({ from }) => from.split('/', from.startsWith('@') ? 2 : 1).join('/')),
)

test('a package is in dependencies when the published code imports it', () => {
  const unused = Object.keys(dependencies).filter(name => !imported.has(name) && !(name in notImported))
  assert.deepEqual(unused, [], 'move what only tests use to devDependencies')
})

test('a package is in devDependencies when only tests and tools import it', () => {
  const needed = Object.keys(devDependencies).filter(name => imported.has(name))
  assert.deepEqual(needed, [], 'whoever installs Keelson needs these: move them to dependencies')
})
