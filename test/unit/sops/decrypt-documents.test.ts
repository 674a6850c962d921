import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { decrypt } from '../../../lib/sops/decrypt.ts'
import { SopsError } from '../../../lib/sops/sops-error.ts'
import { envelope } from '../../bed/encrypt-sops.ts'

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

test('an expression that is none is refused by its name', async () => {
  for (const rule of ['encrypted_regex', 'unencrypted_regex', 'encrypted_comment_regex', 'unencrypted_comment_regex'])
    assert.deepEqual(await failure('a: x', { mac: '', [rule]: '(hush' }), [
      'metadata',
      `${rule} is no regular expression`,
      undefined,
    ])
})
