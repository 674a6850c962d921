import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { archive, sourceIgnores } from '../../../lib/sources/artifact/archive.ts'
import { extract } from '../../../lib/sources/artifact/extract.ts'
import type { SourceTree } from '../../../lib/sources/artifact/source-tree.ts'
import { command } from '../../bed/command.ts'
import { tempDir } from '../../bed/temp-dir.ts'

const texts: Record<string, string> = {
  'a.yaml': 'a: 1\n',
  'bin/run.sh': '#!/bin/sh\n',
  'ü/😀.yaml': 'not ASCII\n',
  [`${'long/'.repeat(60)}name.yaml`]: 'long\n',
  [`${'x'.repeat(180)}.yaml`]: 'longer than a header\n',
  empty: '',
}
const tree: SourceTree = new Map(
  Object.entries(texts).map(([path, text]) => [path, { content: Buffer.from(text), executable: path.endsWith('.sh') }]),
)

test('writes archives that tar reads', async () => {
  const dir = tempDir({ 'artifact.tar.gz': (await archive(tree, sourceIgnores(tree))).content, 'out/.keep': '' })
  await command('tar', ['-xzf', '../artifact.tar.gz'], {
    cwd: join(dir, 'out'),
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })
  for (const [path, text] of Object.entries(texts)) {
    const file = join(dir, 'out', path)
    assert.equal(readFileSync(file, 'utf8'), text, path)
    assert.equal((statSync(file).mode & 0o100) !== 0, path.endsWith('.sh'), path)
  }
})

test('reads archives that tar writes, in every format', async () => {
  const dir = tempDir(Object.fromEntries(Object.entries(texts).map(([path, text]) => [`in/${path}`, text])))
  for (const format of ['gnu', 'pax']) {
    await command('tar', ['-czf', '../out.tar.gz', `--format=${format}`, '.'], { cwd: join(dir, 'in') })
    const read = await extract(readFileSync(join(dir, 'out.tar.gz')))
    const actual = [...read].map(([path, { content }]) => [path, Buffer.from(content).toString()])
    assert.deepEqual(Object.fromEntries(actual), texts, format)
  }
})
