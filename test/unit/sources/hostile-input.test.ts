import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { extract, InvalidArchive } from '../../../lib/sources/artifact/extract.ts'
import { writeTar } from '../../../lib/sources/artifact/tar-writer.ts'
import { applyDelta } from '../../../lib/sources/git/delta.ts'
import { GitError } from '../../../lib/sources/git/git-error.ts'
import { type GitObject, type GitObjects, objectId } from '../../../lib/sources/git/git-object.ts'
import { openRemote } from '../../../lib/sources/git/open-remote.ts'
import { encodePackets } from '../../../lib/sources/git/pkt-line.ts'
import { peel, readCommit, readTree } from '../../../lib/sources/git/read-object.ts'
import type { GitTransport } from '../../../lib/sources/git/transport.ts'
import { checkout } from '../../../lib/sources/git/worktree.ts'
import { spool } from '../../../lib/sources/spool.ts'
import { mutationsOf } from './mutations.ts'

/** What strangers send is read or refused with our own errors: never with a crash, a hang or unbounded memory. */
const runs = { numRuns: 500, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true }
const refused = (error: unknown) => assert.ok(error instanceof GitError, String((error as Error)?.stack ?? error))

/** A server that answers everything with the same bytes, in pieces of any size. */
const answering = (bytes: Uint8Array, pieces: readonly number[]): GitTransport => {
  const answer = async () =>
    (async function* () {
      let at = 0
      for (const size of pieces) {
        yield bytes.subarray(at, at + size)
        at += size
      }
      yield bytes.subarray(at)
    })()
  return { stateless: true, greeting: answer, request: answer, close: async () => {} }
}

test('reads or refuses the responses of a hostile git server', async () => {
  const id = 'a'.repeat(40)
  const band = Buffer.from('0009\u0001PACK0000')
  const answers = [
    encodePackets([`${id} refs/heads/main`, `${id} refs/tags/v1 peeled:${id}`, 'flush']),
    Buffer.concat([encodePackets(['shallow-info', `shallow ${id}`, 'delimiter', 'packfile']), band]),
    encodePackets([
      '# service=git-upload-pack',
      'flush',
      `${id} HEAD\0side-band-64k shallow`,
      `${id} refs/heads/main`,
      'flush',
    ]),
    encodePackets(['version 2', 'agent=git/2', 'ls-refs', 'fetch=shallow', 'flush']),
    encodePackets(['ERR no such\u0000thing']),
  ]
  const piece = fc.nat({ max: 40 })
  for (const answer of answers) {
    await fc.assert(
      fc.asyncProperty(mutationsOf(answer), fc.array(piece, { maxLength: 20 }), async (bytes, pieces) => {
        const remote = openRemote(answering(bytes, pieces), { triesV2: true, format: 'sha1', onGreeting: () => {} })
        await remote.references(['refs/heads/']).catch(refused)
        await remote.fetch({ wants: [id], depth: 1 }, spool()).catch(refused)
      }),
      runs,
    )
  }
})

test('applies or refuses hostile deltas, and allocates no more than the limit', () => {
  const base = Buffer.from('the base of a delta, which is copied from')
  const good = Buffer.from([base.length, 20, 0x91, 4, 10, 10, ...Buffer.from('0123456789')])
  assert.equal(applyDelta(base, good, 100).toString(), 'base of a 0123456789')
  fc.assert(
    fc.property(mutationsOf(good), delta => {
      try {
        assert.ok(applyDelta(base, delta, 1000).length <= 1000)
      } catch (error) {
        refused(error)
      }
    }),
    { ...runs, numRuns: 5000 },
  )
})

const objectsOf = (...objects: GitObject[]) => new Map(objects.map(object => [objectId(object), object]))
const treeOf = (...entries: [mode: string, name: string, id: string][]): GitObject => ({
  type: 'tree',
  content: Buffer.concat(
    entries.map(([mode, name, id]) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])),
  ),
})
const blob: GitObject = { type: 'blob', content: Buffer.from('x') }

test('reads or refuses hostile commits, tags and trees', () => {
  const id = 'b'.repeat(40)
  const commit = Buffer.from(`tree ${id}\nauthor A <a> 1 +0000\ncommitter C <c> 1700000000 +0000\n\nmessage\n`)
  const tag = Buffer.from(`object ${id}\ntype commit\ntag v1\ntagger T <t> 1 +0000\n\nmessage\n`)
  const tree = treeOf(['100644', 'a.yaml', id], ['40000', 'folder', id]).content
  const entries = (objects: GitObjects, of: string) => [...readTree(objects, of)]
  const read = { commit: readCommit, tag: peel, tree: entries } as const
  for (const [type, content] of [
    ['commit', commit],
    ['tag', tag],
    ['tree', tree],
  ] as const) {
    fc.assert(
      fc.property(mutationsOf(content), bytes => {
        try {
          read[type](new Map([[id, { type, content: bytes }]]), id)
        } catch (error) {
          refused(error)
        }
      }),
      { ...runs, numRuns: 2000 },
    )
  }
})

const limits = { maxFiles: 1000, maxEntries: 5000, maxBytes: 1000, maxDepth: 20 }

test('refuses a tree with more files than there are atoms', async () => {
  const objects = new Map(objectsOf(blob))
  let top = treeOf(['100644', 'x', objectId(blob)])
  for (let level = 0; level < 15; level++) {
    objects.set(objectId(top), top)
    top = treeOf(
      ...Array.from({ length: 10 }, (_, index) => ['40000', `d${index}`, objectId(top)] as [string, string, string]),
    )
  }
  objects.set(objectId(top), top)
  await assert.rejects(checkout(objects, objectId(top), limits), { code: 'tooLarge', message: /more than 1000 files$/ })
  const [none, message] = [{ accepts: () => false }, /more than 5000 files and folders/]
  await assert.rejects(checkout(objects, objectId(top), limits, none), { code: 'tooLarge', message })
})

test('checks out no tree without end', async () => {
  let top = treeOf(['100644', 'x', objectId(blob)])
  const objects = new Map(objectsOf(blob, top))
  for (let level = 0; level < 30; level++) {
    top = treeOf(['40000', 'd', objectId(top)])
    objects.set(objectId(top), top)
  }
  await assert.rejects(checkout(objects, objectId(top), limits), {
    code: 'tooLarge',
    message: /deeper than 20 folders/,
  })
})

test('checks out no file that would land elsewhere, or twice', async () => {
  for (const name of ['..', '.', '', 'a/b', '.git', '.GIT']) {
    const tree = treeOf(['100644', name, objectId(blob)])
    await assert.rejects(checkout(objectsOf(blob, tree), objectId(tree), limits), { code: 'corrupt' }, name)
  }
  const inner = treeOf(['100644', 'b', objectId(blob)])
  for (const other of [['100644', 'a', objectId(blob)] as const, ['40000', 'a', objectId(inner)] as const]) {
    const twice = treeOf(['100644', 'a', objectId(blob)], [...other])
    const objects = objectsOf(blob, inner, twice)
    await assert.rejects(checkout(objects, objectId(twice), limits), { code: 'corrupt', message: /contains a twice/ })
  }
})

test('unpacks or refuses hostile archives', async () => {
  const content = Buffer.from('x'.repeat(700))
  const tar = Buffer.concat([
    ...writeTar([
      { name: 'a', mode: 0o750 },
      { name: `a/${'b'.repeat(150)}`, mode: 0o600, content },
      { name: 'c', mode: 0o700, content },
    ]),
  ])
  const limits = { maxEntries: 100, maxBytes: 1 << 20 }
  const unpack = (bytes: Uint8Array) =>
    extract(bytes, limits).catch(error => assert.ok(error instanceof InvalidArchive, error?.stack))
  await fc.assert(
    fc.asyncProperty(mutationsOf(tar), async bytes => void (await unpack(gzipSync(bytes, { level: 1 })))),
    runs,
  )
  await fc.assert(
    fc.asyncProperty(mutationsOf(gzipSync(tar)), async bytes => void (await unpack(bytes))),
    runs,
  )
})
