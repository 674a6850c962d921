import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bundle } from '../../../infra/bundle.ts'
import { tempDir } from '../../bed/temp-dir.ts'

interface Role {
  isDelegatedPath(path: string): boolean
}
interface Models {
  readonly DelegatedRole: new (options: object) => Role
}

test('in a bundle, roles of TUF are delegated the same paths as outside of it', async () => {
  const folder = tempDir()
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('tuf-js'))
  const source = join(dirname(resolve('@tufjs/models')), 'role.js')
  await bundle({ models: source }, folder)
  const bundled: { readonly default: Models } = await import(pathToFileURL(join(folder, 'models.mjs')).href)
  const original: { readonly default: Models } = await import(pathToFileURL(source).href)
  const paths = ['a.json', 'registry.npmjs.org/keys.json', 'a/b/c.txt', '.hidden', '[a]', 'rekor1.pub', 'a*']
  const patterns = [
    '*',
    '*.json',
    'registry.npmjs.org/*',
    '*/*/*.txt',
    'rekor?.pub',
    'rekor[0-9].pub',
    '{a,b}.json',
    '',
  ]
  const delegated = ({ DelegatedRole }: Models) =>
    patterns.map(pattern => {
      const role = new DelegatedRole({
        name: 'role',
        keyIDs: ['1'],
        threshold: 1,
        terminating: false,
        paths: [pattern],
      })
      return [pattern, ...paths.filter(path => role.isDelegatedPath(path))]
    })
  const expected = delegated(original.default)
  assert.ok(expected.flat().length > patterns.length)
  assert.deepEqual(delegated(bundled.default), expected)
})
