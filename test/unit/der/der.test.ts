import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadDer, integerOf, oidOf, readDer, readSequence, timeOf } from '../../../lib/der/read-der.ts'
import { tags } from '../../../lib/der/tags.ts'
import { bits, der, integer, objectId, octets, sequence, text, time } from '../../../lib/der/write-der.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

test('writes the examples of X.690 and RFC 5280', () => {
  const examples: [Buffer, string][] = [
    [integer(Buffer.of(0)), '020100'],
    [integer(Buffer.of(0, 0x7f)), '02017f'],
    [integer(Buffer.of(0x80)), '02020080'],
    [objectId('1.2.840.113549'), '06062a864886f70d'],
    [objectId('2.5.4.3'), '0603550403'],
    [bits(Buffer.of(0xa0), 5), '030205a0'],
    [text('Test User 1'), '130b5465737420557365722031'],
    [text('Jürgen'), '0c074ac3bc7267656e'],
    [time(new Date('2049-12-31T23:59:59Z')), `170d${hex(Buffer.from('491231235959Z'))}`],
    [time(new Date('2050-01-01T00:00:00Z')), `180f${hex(Buffer.from('20500101000000Z'))}`],
  ]
  for (const [bytes, expected] of examples) assert.equal(hex(bytes), expected)
  assert.throws(() => time(new Date('-000001-01-01T00:00:00Z')), /cannot represent time/)
})

test('reads what it wrote, of any length', () => {
  for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    const content = Buffer.alloc(length, 7)
    const [first, second] = readSequence(sequence(octets(content), integer(Buffer.of(length & 0xff))))
    assert.deepEqual(first!.content, content)
    assert.equal(integerOf(second!), BigInt(length & 0xff))
  }
  for (const id of ['1.2.840.10045.4.3.2', '2.5.29.15', '0.9.2342.19200300.100.1.25', '2.39.1'])
    assert.equal(oidOf(readDer(objectId(id))), id)
  for (const when of ['1950-01-01T00:00:00Z', '2049-06-01T12:30:00Z', '2050-06-01T12:30:00Z', '1949-06-01T12:30:00Z'])
    assert.deepEqual(timeOf(readDer(time(new Date(when)))), new Date(when))
})

test('a value has one form only: others are no DER', () => {
  const bad = {
    nothing: '',
    'no length': '30',
    'cut off': '3003020100'.slice(0, 8),
    'more than one': '020100020100',
    'a length in more bytes than it takes': '02810100',
    'a length that begins with zero': `04820080${'00'.repeat(128)}`,
    'a length that is not known beforehand': '30800000',
    'a length of five bytes': '04850000000001ff',
    'a tag of several bytes': '1f8101020100',
  }
  for (const [what, bytes] of Object.entries(bad)) assert.throws(() => readDer(Buffer.from(bytes, 'hex')), BadDer, what)
  assert.throws(() => readDer(octets(Buffer.of(1)), tags.integer), BadDer)
  assert.throws(() => integerOf(readDer(der(tags.integer))), BadDer)
  assert.throws(() => oidOf(readDer(der(tags.oid, Buffer.of(0x2a, 0x86)))), BadDer)
  assert.throws(() => timeOf(readDer(der(tags.utcTime, Buffer.from('991332000000Z')))), BadDer)
})
