import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundleFunctions } from '../../infra/bundle.ts'
import { functionNames } from '../../infra/functions.ts'
import { tempDir } from '../bed/temp-dir.ts'

test('no function loads more than 2 MB before it runs, and no bundle holds what was built for this machine', async () => {
  const directory = tempDir()
  const sizes = await bundleFunctions(functionNames, directory)
  assert.deepEqual([...sizes.keys()].sort(), [...functionNames].sort())
  for (const [name, { atStart }] of sizes) {
    assert.ok(atStart < 2_000_000, `${name}: ${atStart} bytes`)
    const files = readdirSync(join(directory, name))
    assert.ok(files.includes('index.mjs'))
    assert.deepEqual(
      files.filter(file => !/\.mjs(\.LEGAL\.txt)?$/.test(file)),
      [],
    )
  }
})
