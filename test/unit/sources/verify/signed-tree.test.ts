import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import type { SourceTree } from '../../../../lib/sources/artifact/source-tree.ts'
import { NotVerified } from '../../../../lib/sources/verify/not-verified.ts'
import { readPublicKey } from '../../../../lib/sources/verify/public-key.ts'
import { listName, listOf, signatureName, verifySignedTree } from '../../../../lib/sources/verify/signed-tree.ts'

const keyPair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return { privateKey, trusted: readPublicKey(Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }))) }
}
const [author, other] = [keyPair(), keyPair()]
const as = { name: 'shop', signedAt: Date.parse('2026-11-28T12:00:00Z') }

const file = (content: string) => ({ content: Buffer.from(content), executable: false })
const tree = (files: Readonly<Record<string, string>>): SourceTree =>
  new Map(Object.entries(files).map(([path, content]) => [path, file(content)]))

const signed = (files: Readonly<Record<string, string>>, key = author.privateKey, list = listOf(tree(files), as)) =>
  tree({ ...files, [listName]: list, [signatureName]: `${sign(null, Buffer.from(list), key).toString('base64')}\n` })

const files = { 'a.yaml': 'a', 'apps/b.yaml': 'b' }

test('a tree that is as its author has signed it gives its name and the time', () => {
  assert.deepEqual(verifySignedTree(signed(files), [other.trusted, author.trusted]), as)
})

test('sha256sum reads the list', () => {
  assert.equal(
    listOf(tree({ 'a.yaml': 'a' }), as),
    '# shop signed at 2026-11-28T12:00:00.000Z\nca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a.yaml\n',
  )
})

test('what the author has not signed is refused, and the reason told', () => {
  const good = signed(files)
  const refused: readonly (readonly [string, SourceTree, RegExp])[] = [
    ['no list', tree(files), /has no SHA256SUMS$/],
    ['no signature', new Map([...good].filter(([path]) => path !== signatureName)), /has no SHA256SUMS.sig/],
    ['another key', signed(files, other.privateKey), /by a trusted key/],
    ['a changed list', new Map([...good, [listName, file(listOf(tree({}), as))]]), /by a trusted key/],
    ['an empty signature', new Map([...good, [signatureName, file('')]]), /by a trusted key/],
    ['a changed file', new Map([...good, ['a.yaml', file('x')]]), /another a\.yaml/],
    ['one file more', new Map([...good, ['c.yaml', file('c')]]), /another c\.yaml/],
    ['one file less', new Map([...good].filter(([path]) => path !== 'a.yaml')), /lacks a\.yaml/],
    ['files exchanged', new Map([...good, ['a.yaml', file('b')], ['apps/b.yaml', file('a')]]), /another/],
    ['a list without time', signed(files, author.privateKey, 'x  a.yaml\n'), /what was signed, and when/],
  ]
  for (const [what, tree, reason] of refused)
    assert.throws(
      () => verifySignedTree(tree, [author.trusted]),
      (error: Error) => error instanceof NotVerified && reason.test(error.message),
      what,
    )
})
