import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundleFunctions } from '../../infra/bundle.ts'
import { functionNames } from '../../infra/functions.ts'
import { command } from '../bed/command.ts'
import { disposableDir, tempDir } from '../bed/temp-dir.ts'

const root = join(import.meta.dirname, '../..')

/** Paths and digests of a folder's files. */
const digests = (folder: string): Record<string, string> =>
  Object.fromEntries(
    globSync('**/*', { cwd: folder, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .sort()
      .map(path => [path.slice(folder.length), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  )

test('the bundles of Lambdas are the same bytes wherever and whenever they are made', async () => {
  const here = tempDir()
  await bundleFunctions(functionNames, here)

  // Beside node_modules, whose files are linked and not copied: that works within one file system only.
  mkdirSync(join(root, '.keelson'), { recursive: true })
  await using folder = disposableDir(join(root, '.keelson'))
  const clone = folder.path
  for (const room of ['functions', 'lib', 'events', 'infra'])
    cpSync(join(root, room), join(clone, room), { recursive: true })
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(root, file), join(clone, file))
  await command('cp', ['-al', join(root, 'node_modules'), join(clone, 'node_modules')])
  const there = tempDir()
  const elsewhere: typeof import('../../infra/bundle.ts') = await import(join(clone, 'infra/bundle.ts'))
  await elsewhere.bundleFunctions(functionNames, there)

  const made = digests(here)
  assert.ok(Object.keys(made).length > functionNames.length)
  const other = digests(there)
  const differing = [...new Set([...Object.keys(made), ...Object.keys(other)])].filter(
    path => made[path] !== other[path],
  )
  assert.deepEqual(differing, [])
})
