import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { decrypt, readEncrypted } from '../../../../lib/engines/sops/decrypt.ts'
import { objectOf, treeOf } from '../../../../lib/engines/sops/json-tree.ts'
import { SopsError } from '../../../../lib/engines/sops/sops-error.ts'
import { Branch, Comment, commentItem, Timestamp } from '../../../../lib/engines/sops/tree.ts'
import { verifyMacs } from '../../../../lib/engines/sops/verify.ts'
import { envelope } from '../../../bed/encrypt-sops.ts'

const dataKey = randomBytes(32)
const services = { age: async () => dataKey }
const lastmodified = '2026-01-02T03:04:05Z'
const sealed = (text: string, path: string, type = 'str'): string => envelope(text, type, dataKey, `${path}:`)
const sealedMac = (...values: string[]): string => {
  const mac = createHash('sha512').update(values.join('')).digest('hex').toUpperCase()
  return envelope(mac, 'str', dataKey, lastmodified)
}

const decrypted = async (text: string, sops: object): Promise<string> => {
  const metadata = JSON.stringify({ age: [{ recipient: 'age1x', enc: 'x' }], lastmodified, ...sops })
  const plain = await decrypt(Buffer.from(`${text}\nsops: ${metadata}\n`), { format: 'yaml', services })
  return Buffer.from(plain).toString()
}

const failure = async (text: string, sops: object) => {
  try {
    await decrypted(text, sops)
  } catch (error) {
    assert.ok(error instanceof SopsError, String(error))
    return [error.code, error.message, error.key]
  }
  return assert.fail('it was decrypted')
}

test('the MAC is over all values in their order, and says whether it is missing, broken or another', async () => {
  const text = `a: ${sealed('one', 'a')}\nb:\n  c: ${sealed('two', 'b:c')}`
  assert.equal(await decrypted(text, { mac: sealedMac('one', 'two') }), 'a: one\nb:\n    c: two\n')
  const changed = 'MAC mismatch: values were changed since it was encrypted'
  assert.deepEqual(await failure(text, { mac: sealedMac('two', 'one') }), ['mac', changed, undefined])
  assert.deepEqual(await failure(text, { mac: '' }), ['mac', 'MAC mismatch: the document has no MAC', undefined])
  assert.deepEqual(await failure(text, { mac: 'hush' }), [
    'mac',
    "Cannot decrypt MAC: Input string <redacted> does not match sops' data format",
    undefined,
  ])
})

test('a value that is not sealed where it should be, or a comment that is sealed as something else, is refused', async () => {
  assert.deepEqual(await failure('a: {b: 5}', { mac: '' }), [
    'value',
    'Error walking tree: Could not decrypt value: Expected encrypted value as string',
    'a.b',
  ])
  const comment = (type: string) => `a:\n  b:\n    #${sealed('5', 'a:b', type)}\n    c: ${sealed('x', 'a:b:c')}`
  assert.equal(await decrypted(comment('comment'), { mac: sealedMac('x') }), 'a:\n    b:\n        #5\n        c: x\n')
  assert.deepEqual(await failure(comment('int'), { mac: sealedMac('x') }), [
    'value',
    'Error walking tree: a comment decrypts to something else',
    'a.b',
  ])
})

test('an invalid expression is refused by its name', async () => {
  for (const rule of ['encrypted_regex', 'unencrypted_regex', 'encrypted_comment_regex', 'unencrypted_comment_regex'])
    assert.deepEqual(await failure('a: x', { mac: '', [rule]: '(hush' }), [
      'metadata',
      `${rule} is not a regular expression`,
      undefined,
    ])
})

test('the proof that nothing changed can be left aside; each value is proven all the same', async () => {
  const text = (value: string) =>
    Buffer.from(`a: ${value}\nsops: ${JSON.stringify({ age: [{ enc: 'x' }], lastmodified, mac: '' })}\n`)
  const lenient = (value: string) => decrypt(text(value), { format: 'yaml', services, ignoreMac: true })
  assert.equal(Buffer.from(await lenient(sealed('one', 'a'))).toString(), 'a: one\n')
  await assert.rejects(lenient(sealed('one', 'b')), { code: 'value', key: 'a' })
  await assert.rejects(decrypt(text(sealed('one', 'a')), { format: 'yaml', services }), { code: 'mac' })
})

test('a file is as large as kustomize-controller takes it, at most', () => {
  const limit = 5 * 1024 * 1024
  assert.throws(() => readEncrypted(Buffer.alloc(limit, '#'), 'dotenv'), { code: 'metadata' })
  assert.throws(() => readEncrypted(Buffer.alloc(limit + 1), 'dotenv'), {
    code: 'format',
    message: `cannot decrypt file with size (${limit + 1} bytes) exceeding limit (${limit})`,
  })
})

test('documents that were encrypted apart are verified one by one, and those that were not are left aside', async () => {
  const document = (value: string, mac: string) =>
    `a: ${sealed(value, 'a')}\nsops: ${JSON.stringify({ age: [{ enc: 'x' }], lastmodified, mac })}\n`
  const verified = (...documents: string[]) =>
    verifyMacs(Buffer.from(documents.join('---\n')), { format: 'yaml', services })
  const together = sealedMac('one', 'two')
  await verified(
    'a: 1\n',
    document('x', sealedMac('x')),
    document('y', sealedMac('y')),
    'sops: {mac: 5}\n',
    'sops: x\n',
  )
  await verified(document('one', together), document('two', together))
  await assert.rejects(verified('a: 1\n', document('x', sealedMac('x')), document('y', sealedMac('z'))), {
    code: 'mac',
  })
  await assert.rejects(verified(document('two', together), document('one', together)), { code: 'mac' })
})

test('an object becomes a document, and a document an object', () => {
  const object = { a: 1, b: 1.5, c: -0, d: 2 ** 60, e: null, f: [{ g: 'x' }, true], h: {} }
  const branch = (fields: object) => new Branch(Object.entries(fields).map(([key, value]) => ({ key, value })))
  const tree = branch({ ...object, a: 1n, f: [branch({ g: 'x' }), true], h: branch({}) })
  assert.deepEqual(treeOf(object), tree)
  assert.deepEqual(objectOf(tree), object)
  const comment = new Comment('said')
  const items = [
    commentItem(comment),
    { key: 'big', value: 2n ** 60n },
    { key: 'small', value: -(2n ** 60n) },
    ...[Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER].map(value => ({
      key: `safe ${value}`,
      value: BigInt(value),
    })),
    { key: 'time', value: new Timestamp(lastmodified) },
    { key: 'bytes', value: Buffer.from('x') },
    { key: 'list', value: [comment, 'y'] },
  ]
  assert.deepEqual(objectOf(new Branch(items)), {
    big: 2n ** 60n,
    small: -(2n ** 60n),
    [`safe ${Number.MAX_SAFE_INTEGER}`]: Number.MAX_SAFE_INTEGER,
    [`safe ${Number.MIN_SAFE_INTEGER}`]: Number.MIN_SAFE_INTEGER,
    time: lastmodified,
    bytes: 'x',
    list: ['y'],
  })
})
