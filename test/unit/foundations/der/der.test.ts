import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bytesOfBits,
  fieldsOf,
  InvalidDer,
  integerOf,
  oidOf,
  readDer,
  readSequence,
  timeOf,
  valuesOf,
} from '../../../../lib/foundations/der/read-der.ts'
import { tags } from '../../../../lib/foundations/der/tags.ts'
import * as write from '../../../../lib/foundations/der/write-der.ts'

const { bits, der, integer, objectId, octets, sequence, text, time } = write
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const fromHex = (bytes: string): Buffer => Buffer.from(bytes, 'hex')
const malformed = (why: string) => ({ name: 'InvalidDer', message: `malformed ASN.1: ${why}` })

test('writes the examples of X.690 and RFC 5280', () => {
  const examples: [Buffer, string][] = [
    [integer(Buffer.of(0)), '020100'],
    [integer(Buffer.of(0, 0)), '020100'],
    [integer(Buffer.of(0, 0x7f)), '02017f'],
    [integer(Buffer.of(0x80)), '02020080'],
    [integer(Buffer.of(0, 1, 2)), '02020102'],
    [objectId('1.2.840.113549'), '06062a864886f70d'],
    [objectId('2.5.4.3'), '0603550403'],
    [objectId('2.100.3'), '0603813403'],
    [bits(Buffer.of(0xa0), 5), '030205a0'],
    [write.boolean(true), '0101ff'],
    [write.boolean(false), '010100'],
    [write.none, '0500'],
    [write.set(integer(Buffer.of(1))), '3103020101'],
    [write.explicit(3, integer(Buffer.of(2))), 'a303020102'],
    [write.implicit(2, Buffer.from('a.example')), `8209${hex(Buffer.from('a.example'))}`],
    [text('Test User 1'), '130b5465737420557365722031'],
    [text('Jürgen'), '0c074ac3bc7267656e'],
    [time(new Date('1949-12-31T23:59:59Z')), `180f${hex(Buffer.from('19491231235959Z'))}`],
    [time(new Date('1950-01-01T00:00:00Z')), `170d${hex(Buffer.from('500101000000Z'))}`],
    [time(new Date('2049-12-31T23:59:59Z')), `170d${hex(Buffer.from('491231235959Z'))}`],
    [time(new Date('2050-01-01T00:00:00Z')), `180f${hex(Buffer.from('20500101000000Z'))}`],
    [time(new Date('0000-01-01T00:00:00Z')), `180f${hex(Buffer.from('00000101000000Z'))}`],
    [time(new Date('9999-12-31T23:59:59Z')), `180f${hex(Buffer.from('99991231235959Z'))}`],
  ]
  for (const [bytes, expected] of examples) assert.equal(hex(bytes), expected)
  for (const year of ['-000001', '+010000'])
    assert.throws(() => time(new Date(`${year}-01-01T00:00:00Z`)), /cannot represent time as GeneralizedTime/)
})

test('reads what it wrote, of any length', () => {
  for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    const content = Buffer.alloc(length, 7)
    const [first, second] = readSequence(sequence(octets(content), integer(Buffer.of(length & 0xff))))
    assert.deepEqual(first!.content, content)
    assert.equal(integerOf(second!), BigInt(length & 0xff))
  }
  const identifiers = ['1.2.840.10045.4.3.2', '2.5.29.15', '0.9.2342.19200300.100.1.25', '0.39', '1.0', '1.39', '2.0']
  for (const id of [...identifiers, '2.39.1', '2.100.3', '2.5.16384']) assert.equal(oidOf(readDer(objectId(id))), id)
  for (const when of ['1950-01-01T00:00:00Z', '2049-06-01T12:30:00Z', '2050-06-01T12:30:00Z', '1949-06-01T12:30:00Z'])
    assert.deepEqual(timeOf(readDer(time(new Date(when)))), new Date(when))
  assert.deepEqual(bytesOfBits(readDer(bits(Buffer.of(1, 2)))), Buffer.of(1, 2))
})

test('reads the whole numbers of X.690, negative ones too', () => {
  const numbers: [string, bigint][] = [
    ['020100', 0n],
    ['02017f', 127n],
    ['02020080', 128n],
    ['02020100', 256n],
    ['020180', -128n],
    ['0202ff7f', -129n],
    ['0203010000', 65_536n],
  ]
  for (const [bytes, expected] of numbers) assert.equal(integerOf(readDer(fromHex(bytes))), expected)
})

test('times are read to the millisecond, whatever the fraction', () => {
  const timeIn = (tag: number, text: string) => timeOf(readDer(der(tag, Buffer.from(text)))).toISOString()
  assert.equal(timeIn(tags.utcTime, '500102030405Z'), '1950-01-02T03:04:05.000Z')
  assert.equal(timeIn(tags.generalizedTime, '20260102030405.5Z'), '2026-01-02T03:04:05.500Z')
  assert.equal(timeIn(tags.generalizedTime, '20260102030405.123456789Z'), '2026-01-02T03:04:05.123Z')
})

test('what may be left out is read where it is there, and nothing may follow the last', () => {
  const fields = fieldsOf(fromHex('020101040102'))
  assert.equal(fields.optional(tags.boolean), undefined)
  assert.equal(integerOf(fields.optional(tags.boolean, tags.integer)!), 1n)
  assert.throws(() => fields.end(), malformed('the data has unexpected values at its end'))
  assert.equal(hex(fields.next(tags.octetString).content), '02')
  assert.equal(fields.optional(tags.integer), undefined)
  fields.end()
  assert.equal(valuesOf(fromHex('020101040102')).length, 2)
  assert.throws(() => [...fieldsOf(fromHex('020101040102')).rest(tags.integer)], malformed('unexpected tag 4'))
  assert.throws(() => fieldsOf(Buffer.of()).next(), malformed('the data is truncated'))
})

test('a value has one form only: others are no DER', () => {
  const bad: Record<string, [bytes: string, why: string]> = {
    nothing: ['', 'the data is truncated'],
    'no length': ['30', 'the data is truncated'],
    'cut off in the length': ['3082', 'the data is truncated'],
    'cut off': ['30030201', 'the data is truncated'],
    'more than one': ['020100020100', 'the data has unexpected values at its end'],
    'a length in more bytes than it takes': ['02810100', 'a length is too long'],
    'a length that begins with zero': [`04820080${'00'.repeat(128)}`, 'a length is too long'],
    'a length that is not known beforehand': ['30800000', 'a length is invalid'],
    'a length of five bytes': ['04850100000000', 'a length is invalid'],
    'a length of four bytes, and less than it says': ['048401000000', 'the data is truncated'],
    'a tag of several bytes': ['1f8101020100', 'a tag is too long'],
  }
  for (const [what, [bytes, why]] of Object.entries(bad))
    assert.throws(() => readDer(fromHex(bytes)), malformed(why), what)
  assert.throws(() => readDer(octets(Buffer.of(1)), tags.integer), malformed('unexpected tag 4'))
  assert.ok(new InvalidDer('x') instanceof Error)
})

test('numbers and identifiers have one form too, as for Go', () => {
  const numbers: [string, string][] = [
    ['', 'a number is empty'],
    ['007f', 'a number is too long'],
    ['ff80', 'a number is too long'],
    ['00007fff', 'a number is too long'],
  ]
  for (const [content, why] of numbers)
    assert.throws(() => integerOf(readDer(der(tags.integer, fromHex(content)))), malformed(why), content)
  const identifiers: [string, string][] = [
    ['', 'an object identifier is truncated'],
    ['2a86', 'an object identifier is truncated'],
    ['2a80', 'a part of an object identifier is too long'],
    ['2a8001', 'a part of an object identifier is too long'],
  ]
  for (const [content, why] of identifiers)
    assert.throws(() => oidOf(readDer(der(tags.oid, fromHex(content)))), malformed(why), content)
  const oneBitMissing = bits(Buffer.of(0xfe), 1)
  assert.throws(() => bytesOfBits(readDer(oneBitMissing)), malformed('a bit string has unused bits'))
})

test('what no calendar has is no time', () => {
  const none = malformed('a time is invalid')
  for (const bad of [
    '991332000000Z',
    '990230000000Z',
    '990101240000Z',
    '20260101000000Z',
    '260101000000Z0',
    '2601010000Z',
  ])
    assert.throws(() => timeOf(readDer(der(tags.utcTime, Buffer.from(bad)))), none, bad)
  for (const bad of ['20260230000000Z', '120260101000000Z', '20260101000000Z0', '20260101000000.Z', '260101000000Z'])
    assert.throws(() => timeOf(readDer(der(tags.generalizedTime, Buffer.from(bad)))), none, bad)
  assert.throws(() => timeOf(readDer(octets(Buffer.from('20260101000000Z')))), none)
})
