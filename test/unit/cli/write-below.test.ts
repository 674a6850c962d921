import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeBelow } from '../../../lib/cli/helm/write-below.ts'
import { tempDir } from '../../bed/temp-dir.ts'

test('files of a chart are written below the folder, with the folders between', () => {
  const folder = tempDir()
  writeBelow(folder, 'app/templates/a.yaml', 'a: 1\n')
  writeBelow(folder, 'app/templates/a.yaml', 'b: 2\n', 'a')
  assert.equal(readFileSync(join(folder, 'app/templates/a.yaml'), 'utf8'), 'a: 1\nb: 2\n')
})

test('a chart that calls itself .., or names a file elsewhere, writes nothing', () => {
  const root = tempDir()
  const folder = join(root, 'charts')
  for (const path of ['../Chart.yaml', 'app/../../Chart.yaml', join(root, 'Chart.yaml'), '..', '.'])
    assert.throws(() => writeBelow(folder, path, ''), { name: 'CommandFailed', message: /leads out of/ }, path)
  assert.equal(existsSync(join(root, 'Chart.yaml')), false)
})
