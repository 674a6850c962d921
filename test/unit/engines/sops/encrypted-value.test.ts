import assert from 'node:assert/strict'
import { createCipheriv, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { decryptMac, decryptValue } from '../../../../lib/engines/sops/encrypted-value.ts'
import { SopsError } from '../../../../lib/engines/sops/sops-error.ts'
import { Comment, type SopsValue, Timestamp } from '../../../../lib/engines/sops/tree.ts'
import { envelope } from '../../../bed/encrypt-sops.ts'

const dataKey = randomBytes(32)
const sealed = (text: string, type: string): string => envelope(text, type, dataKey, 'a:b:')
const sealedWith = (iv: Buffer, plain = Buffer.from('text')): string => {
  const cipher = createCipheriv('aes-256-gcm', dataKey, iv).setAAD(Buffer.from('a:b:'))
  const data = Buffer.concat([cipher.update(plain), cipher.final()])
  const [d, i, tag] = [data, iv, cipher.getAuthTag()].map(part => part.toString('base64'))
  return `ENC[AES256_GCM,data:${d},iv:${i},tag:${tag},type:str]`
}
const opened = (text: string): SopsValue => decryptValue(text, dataKey, ['a', 'b'])
const problem = (text: string): string => {
  try {
    opened(text)
  } catch (error) {
    assert.ok(error instanceof SopsError && error.code === 'value' && error.key === 'a.b', String(error))
    return error.message
  }
  return assert.fail(`it was opened: ${text}`)
}

test('gives values back in their types, as Go parses them', () => {
  const values: readonly (readonly [type: string, text: string, value: SopsValue])[] = [
    ['str', 'text', 'text'],
    ['str', '\ufffd', '\ufffd'],
    ['bytes', 'text', 'text'],
    ['int', '42', 42n],
    ['int', '+7', 7n],
    ['int', '9223372036854775807', 2n ** 63n - 1n],
    ['int', '-9223372036854775808', -(2n ** 63n)],
    ['float', '1.5', 1.5],
    ['float', '-0', -0],
    ['float', '1e3', 1000],
    ['float', '+Inf', Number.POSITIVE_INFINITY],
    ['float', 'inf', Number.POSITIVE_INFINITY],
    ['float', '-Infinity', Number.NEGATIVE_INFINITY],
    ['float', 'NaN', Number.NaN],
    ...['1', 't', 'T', 'TRUE', 'true', 'True'].map(text => ['bool', text, true] as const),
    ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map(text => ['bool', text, false] as const),
    ['time', '2026-01-02T03:04:05Z', new Timestamp('2026-01-02T03:04:05Z')],
    ['time', '2026-01-02T03:04:05.678+02:00', new Timestamp('2026-01-02T03:04:05.678+02:00')],
    ['comment', ' said', new Comment(' said')],
  ]
  for (const [type, text, value] of values) assert.deepEqual(opened(sealed(text, type)), value, `${type} ${text}`)
  assert.equal(opened(''), '')
  assert.equal(decryptMac('', dataKey, 'time'), '')
  assert.throws(() => decryptMac('x', dataKey, 'time'), { code: 'value', key: 'sops.mac' })
  assert.equal(decryptMac(envelope('M', 'str', dataKey, 'time'), dataKey, 'time'), 'M')
})

test('bytes that are no UTF-8 stay bytes', () => {
  assert.deepEqual(opened(sealedWith(randomBytes(32), Buffer.of(0xff, 0x41))), Buffer.of(0xff, 0x41))
})

// Sops writes 32 bytes, and takes any number of them but none.
test('takes nonces of up to 128 bytes, and refuses longer ones', () => {
  for (const bytes of [1, 12, 16, 32, 64, 128]) assert.equal(opened(sealedWith(randomBytes(bytes))), 'text', `${bytes}`)
  const iv = (bytes: number) =>
    sealedWith(randomBytes(32)).replace(/iv:[^,]*/, `iv:${randomBytes(bytes).toString('base64')}`)
  for (const bytes of [0, 129, 100_000])
    assert.match(problem(iv(bytes)), bytes === 0 ? /data format/ : /Could not decrypt/)
})

test('a value that does not match its type is refused', () => {
  const values = {
    int: ['x', '1x', 'x1', '1.5', '9223372036854775808', '-9223372036854775809', '12345678901234567890'],
    float: [' ', 'x', '1x'],
    bool: ['yes', 'truex', 'xtrue', 'falsex', 'xfalse'],
    time: ['2026-01-02', 'x2026-01-02T03:04:05Z', '2026-01-02T03:04:05Zx', '2026-01-02T03:04:05', '2026-1-2T3:4:5Z'],
  }
  for (const [type, texts] of Object.entries(values))
    for (const text of texts) assert.equal(problem(sealed(text, type)), `the decrypted value is not of type ${type}`)
  assert.equal(problem(sealed('x', 'other')), 'Unknown datatype')
})

test('what is not sealed, sealed otherwise, or sealed for another place is refused', () => {
  const whole = sealed('text', 'str')
  const noFormat = "Input string <redacted> does not match sops' data format"
  for (const text of [
    'text',
    'ENC[]',
    whole.replace('data:', ''),
    whole.slice(0, -1),
    whole.replace('AES256', 'AES128'),
  ])
    assert.equal(problem(text), noFormat, text)
  const part = (name: string, text: string): string => whole.replace(new RegExp(`${name}:[^,]+`), `${name}:${text}`)
  for (const name of ['data', 'iv', 'tag'])
    for (const text of ['A', 'AA=', 'A===', '!AAA', 'AAAA!', 'AA==AAAA'])
      assert.equal(problem(part(name, text)), 'Error base64-decoding an encrypted value', text)
  const failed = 'Could not decrypt with AES_GCM: cipher: message authentication failed'
  const changed = [
    part('data', 'AAAA'),
    part('iv', 'AAAA'),
    part('tag', Buffer.alloc(16).toString('base64')),
    part('tag', 'AAAA'),
    whole.replace(/tag:[^,]+/, tag => `tag:${Buffer.from(tag.slice(4), 'base64').subarray(0, 12).toString('base64')}`),
    envelope('text', 'str', dataKey, 'a:c:'),
    envelope('text', 'str', randomBytes(32), 'a:b:'),
  ]
  for (const text of changed) assert.equal(problem(text), failed, text)
  // What follows is left aside, as sops does; but it takes all up to the last bracket of the line for the type.
  for (const text of [`${whole} y`, `${whole}\n]`]) assert.equal(opened(text), 'text')
  for (const text of [`x ${whole}`, `${whole} xx]`]) assert.equal(problem(text), noFormat)
})
