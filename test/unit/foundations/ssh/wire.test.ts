import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sshInteger, sshReader, sshString } from '../../../../lib/foundations/ssh/wire.ts'

const fromHex = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const early = new Error('ends early')
const reader = (hex: string) => sshReader(fromHex(hex), () => early)

test('numbers and strings are those of the examples of RFC 4251', () => {
  const fields = reader('29b7f4aa 00000007 74657374696e67 00000000 ffffffff')
  assert.equal(fields.number(), 699921578)
  assert.equal(fields.string().toString(), 'testing')
  assert.equal(fields.string().toString(), '')
  assert.equal(fields.number(), 0xffffffff)
  assert.deepEqual(sshString(Buffer.from('testing')), fromHex('00000007 74657374696e67'))
  for (const [number, encoded] of [
    ['', '00000000'],
    ['09a378f9b2e332a7', '00000008 09a378f9b2e332a7'],
    ['7f', '00000001 7f'],
    ['80', '00000002 0080'],
    ['ff00', '00000003 00ff00'],
  ] as const)
    assert.deepEqual(sshInteger(fromHex(number)), fromHex(encoded), number)
})

test('a field that ends early fails with the error of the caller, whichever field it is', () => {
  for (const bytes of ['', '000000', '00000001', '00000003 6161', 'ffffffff 61'])
    assert.throws(() => reader(bytes).string(), early, bytes)
  const fields = reader('00000001 61 000000')
  assert.equal(fields.string().toString(), 'a')
  assert.throws(() => fields.number(), early)
})
