import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { compareBytes } from '../../../lib/foundations/go/compare-text.ts'
import { archive, sourceIgnores } from '../../../lib/sources/artifact/archive.ts'
import { extract } from '../../../lib/sources/artifact/extract.ts'
import { fileSystemOf } from '../../../lib/sources/artifact/file-system.ts'
import type { SourceTree } from '../../../lib/sources/artifact/source-tree.ts'
import { type TarEntry, writeTar } from '../../../lib/sources/artifact/tar-writer.ts'

const treeOf = (files: Record<string, string>): SourceTree =>
  new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { content: Buffer.from(text), executable: path.endsWith('.sh') },
    ]),
  )
const packed = async (files: Record<string, string>, specIgnore?: string) => {
  const tree = treeOf(files)
  return (await archive(tree, sourceIgnores(tree, specIgnore))).content
}
const pathsIn = async (content: Uint8Array) => [...(await extract(content)).keys()]
/** Names, types and modes as they stand in the headers. */
const headersOf = (content: Uint8Array) => {
  const tar = gunzipSync(content)
  const headers: string[] = []
  for (let at = 0; tar[at] !== 0; ) {
    const field = (start: number, length: number) =>
      tar.toString('latin1', at + start, at + start + length).replace(/\0.*$/, '')
    headers.push(`${field(156, 1)} ${field(100, 8)} ${field(345, 155)}${field(345, 1) && '/'}${field(0, 100)}`)
    at += 512 + Math.ceil(Number.parseInt(field(124, 12), 8) / 512) * 512
  }
  return headers
}

test('AG-015 packs folders and files in the order, under the names and with the modes of source-controller', async () => {
  const content = await packed({ 'b.yaml': '1', 'a/z.yaml': '2', 'a-b/x.sh': '3', 'a.yaml': '4', 'a/b/c': '5' })
  assert.deepEqual(headersOf(content), [
    '5 0000750 .',
    '5 0000750 a',
    '5 0000750 a/b',
    '0 0000600 a/b/c',
    '0 0000600 a/z.yaml',
    '5 0000750 a-b',
    '0 0000700 a-b/x.sh',
    '0 0000600 a.yaml',
    '0 0000600 b.yaml',
  ])
})

test('AG-015 packs the same files into the same bytes', async () => {
  const one = await packed({ a: '1', b: '2' })
  const other = await packed({ b: '2', a: '1' })
  assert.deepEqual(one, other)
  assert.deepEqual(one.subarray(4, 8), Buffer.alloc(4), 'the time in the gzip header')
})

test('leaves out what .sourceignore files and spec.ignore name, the latter last', async () => {
  const files = {
    '.sourceignore': '*.md\n/deploy/secret.yaml\n',
    'a.md': '',
    'deploy/.sourceignore': '!*.md\n*.txt\n',
    'deploy/b.md': '',
    'deploy/c.txt': '',
    'deploy/secret.yaml': '',
    'd.txt': '',
    'img.png': '',
  }
  const kept = await pathsIn(await packed(files))
  assert.deepEqual(kept, ['.sourceignore', 'd.txt', 'deploy/.sourceignore', 'deploy/b.md', 'img.png'])
  const overruled = await pathsIn(await packed(files, 'deploy/\n!secret.yaml\n'))
  assert.deepEqual(overruled, ['.sourceignore', 'd.txt', 'deploy/secret.yaml', 'img.png'])
  assert.deepEqual(await pathsIn(await packed({ 'img.png': '', '.git/x': '', a: '' })), ['a'])
})

test('keeps names that are long, or not ASCII, and contents of every size', async () => {
  const files: Record<string, string> = {
    [`${'d'.repeat(60)}/${'e'.repeat(60)}`]: 'prefix',
    [`${'f'.repeat(200)}.yaml`]: 'pax',
    [`${'g/'.repeat(150)}h`]: 'pax',
    'ü/😀.yaml': 'pax',
  }
  for (const size of [0, 1, 511, 512, 513, 100_000]) files[`size-${size}`] = 'x'.repeat(size)
  const tree = await extract(await packed(files))
  assert.deepEqual(
    Object.fromEntries([...tree].map(([path, file]) => [path, Buffer.from(file.content).toString()])),
    files,
  )
})

const tarGz = (...entries: TarEntry[]) => gzipSync(Buffer.concat([...writeTar(entries)]))
const content = Buffer.from('x')

test('AG-028 refuses to unpack what leads out of the archive', async () => {
  for (const name of ['../x', '/x', 'a/../../x', 'a\\..\\x', '..', 'a/..']) {
    await assert.rejects(extract(tarGz({ name, mode: 0o600, content })), { name: 'InvalidArchive' }, name)
  }
  assert.deepEqual(await pathsIn(tarGz({ name: './a//b', mode: 0o600, content })), ['a/b'])
})

/** One entry of another type, whose content counts as its link's target. */
const special = (type: string, target: string) => {
  const tar = Buffer.concat([...writeTar([{ name: 'special', mode: 0o644, content: new Uint8Array() }])])
  tar.write(type, 156)
  tar.write(target, 157)
  tar.fill(' ', 148, 156)
  tar.write(
    tar
      .subarray(0, 512)
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0'),
    148,
  )
  return gzipSync(tar)
}

test('leaves out symbolic links and refuses hard links and devices', async () => {
  assert.deepEqual(await pathsIn(special('2', '/etc/passwd')), [])
  await assert.rejects(extract(special('1', '/etc/passwd')), {
    name: 'InvalidArchive',
    message: /unsupported type link/,
  })
  await assert.rejects(extract(special('3', '')), {
    name: 'InvalidArchive',
    message: /unsupported type character-device/,
  })
})

test('AG-028 unpacks no more than the limits allow', async () => {
  const limits = { maxEntries: 3, maxBytes: 1 << 20 }
  await assert.rejects(extract(gzipSync(Buffer.alloc(2 << 20)), limits), { message: /more than 1048576 bytes/ })
  const many = tarGz(...['a', 'b', 'c', 'd'].map(name => ({ name, mode: 0o600, content })))
  await assert.rejects(extract(many, limits), { message: /more than 3 entries/ })
})

test('refuses a damaged archive', async () => {
  const good = tarGz({ name: 'a', mode: 0o600, content })
  await assert.rejects(extract(good.subarray(0, -10)), { name: 'InvalidArchive', message: 'the archive is damaged' })
  await assert.rejects(extract(Buffer.from('no archive')), { name: 'InvalidArchive' })
  const tar = gunzipSync(good)
  tar[0] = 66
  await assert.rejects(extract(gzipSync(tar)), { name: 'InvalidArchive' })
})

test('shows a tree to the builds: contents, and names in the order of their bytes', () => {
  const { read, list } = fileSystemOf(
    treeOf({ 'a/b/c': '1', 'a.yaml': '2', 'a-b': '3', 'a/\u{ffff}': '4', 'a/😀': '5' }),
  )
  assert.deepEqual(list(''), ['a', 'a-b', 'a.yaml'])
  assert.deepEqual(list('a'), ['b', '\u{ffff}', '😀'])
  assert.equal(list('a.yaml'), undefined)
  assert.equal(list('nowhere'), undefined)
  assert.equal(read('a'), undefined)
  assert.deepEqual(read('a/b/c'), Buffer.from('1'))
})

test('orders names as Go does', () => {
  const names = ['a', 'aa', 'b', 'ä', '\u{d7ff}', '\u{e000}', '\u{ffff}', '\u{10000}', '😀']
  assert.deepEqual(names.toReversed().sort(compareBytes), names)
  assert.deepEqual(
    names.toReversed().sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    names,
  )
})
