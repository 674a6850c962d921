import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { ipBytes } from '../../../../lib/engines/template/certificates/ip-address.ts'
import { readPem, writePem } from '../../../../lib/engines/template/certificates/pem.ts'
import { newKey, readPrivateKey, writePrivateKey } from '../../../../lib/engines/template/certificates/private-key.ts'
import { parseTemplate } from '../../../../lib/engines/template/template.ts'
import { fromJson } from '../../../../lib/engines/template/values/from-json.ts'
import { readSequence } from '../../../../lib/foundations/der/read-der.ts'
import { sprig } from '../../../bed/sprig.ts'
import { type RecordedCertificates, refused, wanted } from './go-functions/certificates.ts'

const path = new URL('go-functions/certificates.recorded.json', import.meta.url)
const recorded = JSON.parse(readFileSync(path, 'utf8')) as RecordedCertificates
const { keys, oldCertificate } = recorded
const base64 = (text: string) => Buffer.from(text).toString('base64')
const data = fromJson({ ...keys, oldCertificate, old: base64(oldCertificate), oldKey: base64(keys.rsa!) })

const made = (call: string, now = 0, serial: Uint8Array = Buffer.alloc(16, 1)): string => {
  const functions = sprig({ now: () => now, bytes: count => serial.subarray(0, count) })
  try {
    return parseTemplate('test', `{{ ${call} }}`, { functions, missingKey: 'zero' }).execute(data)
  } catch (error) {
    return (error as Error).message
  }
}

/** All that is signed. Signatures of elliptic curves differ each time. */
const signed = (pem: string): string => readSequence(readPem(pem)!.bytes)[0]!.whole.toString('hex')

for (const [what, call] of Object.entries(wanted))
  test(`${what} is made byte for byte as by sprig`, () => {
    const ofGo = new X509Certificate(recorded.made[what]!)
    const serial = Buffer.from(ofGo.serialNumber.padStart(32, '0'), 'hex')
    const ours = made(`(${call}).Cert`, Date.parse(ofGo.validFrom), serial)
    assert.equal(signed(ours), signed(recorded.made[what]!))
    const isDeterministic = !/\.(ecdsa|p\d+|pkcs8)$/.test(call) || /\.rsa\) \.ecdsa$/.test(call)
    if (isDeterministic) assert.equal(ours, recorded.made[what])
  })

test('what is refused is refused in the same words', () => {
  for (const call of refused) assert.equal(made(call), recorded.refused[call], call)
})

test('certificates hold for their authority, and their keys are given back', () => {
  const [ca, cert, key] = made(
    '$ca := genCAWithKey "ca" 1 .p384 }}{{ $c := genSignedCertWithKey "x" nil nil 1 $ca .p521 }}{{ $ca.Cert }}|{{ $c.Cert }}|{{ $c.Key',
  ).split('|')
  assert.ok(new X509Certificate(cert!).verify(new X509Certificate(ca!).publicKey))
  assert.equal(key, keys.p521)
})

test('keys are written in the form that OpenSSL has for their type', () => {
  for (const type of ['rsa', 'ecdsa', 'ed25519', 'p384']) {
    const key = createPrivateKey(keys[type]!)
    assert.equal(writePrivateKey(key), keys[type], type)
    assert.ok(readPrivateKey(key.export({ type: 'pkcs8', format: 'pem' }) as string).equals(key), type)
  }
})

test('DSA keys are read and written as OpenSSL does', () => {
  const key = createPrivateKey(keys.dsaPkcs8!)
  assert.equal(writePrivateKey(key), keys.dsa)
  assert.ok(readPrivateKey(keys.dsa!).equals(key))
})

test('new keys have the requested type and size', () => {
  assert.deepEqual(newKey('rsa', 1024).asymmetricKeyDetails?.modulusLength, 1024)
  assert.equal(newKey('ecdsa').asymmetricKeyDetails?.namedCurve, 'prime256v1')
  assert.equal(newKey('ed25519').asymmetricKeyType, 'ed25519')
})

test('PEM is read wherever it is in a text, and written as OpenSSL does', () => {
  for (const type of ['rsa', 'ed25519']) {
    const key = createPublicKey(keys[type]!)
    const bytes = key.export({ type: 'spki', format: 'der' })
    const pem = key.export({ type: 'spki', format: 'pem' }) as string
    assert.equal(writePem({ label: 'PUBLIC KEY', bytes }), pem)
    for (const text of [pem, `before\n${pem}after`, pem.replaceAll('\n', '\r\n'), pem.trimEnd(), `${pem}${keys.rsa}`])
      assert.deepEqual(readPem(text), { label: 'PUBLIC KEY', bytes })
  }
  assert.equal(writePem({ label: 'A', bytes: Buffer.of() }), '-----BEGIN A-----\n-----END A-----\n')
  for (const text of [
    '',
    'text',
    '-----BEGIN A-----\neA==\n',
    '-----BEGIN A-----\neA==\n-----END B-----',
    '-----BEGIN A-----eA==-----END A-----',
    '-----BEGIN A-----\n!\n-----END A-----',
  ])
    assert.equal(readPem(text), undefined, text)
})

test('addresses are those that other tools know, and have the same bytes', () => {
  const group = fc.oneof(
    fc.constantFrom('0', 'ffff', 'FFFF', '', '00001', 'g', '1'),
    fc.nat(0xffff).map(n => n.toString(16)),
  )
  const dotted = fc
    .array(fc.oneof(fc.nat(300).map(String), fc.constantFrom('', '01', '00', '0', 'a', '-1', '255')), {
      minLength: 2,
      maxLength: 5,
    })
    .map(parts => parts.join('.'))
  const six = fc
    .array(fc.oneof({ weight: 8, arbitrary: group }, dotted), { maxLength: 9 })
    .map(parts => parts.join(':'))
  const cut = fc.tuple(six, six).map(([a, b]) => `${a}::${b}`)
  fc.assert(
    fc.property(fc.oneof(dotted, six, cut), text => {
      const bytes = ipBytes(text)
      assert.equal(bytes !== undefined, isIP(text) !== 0, text)
      if (bytes) assert.deepEqual(bytes, bytesOf(text), text)
    }),
    { numRuns: 3000 },
  )
  const misplaced = [
    '1.2.3.4::',
    '1.2.3.4::1',
    '1::1.2.3.4:1',
    '1:2:3:4:5:1.2.3.4:6',
    '1:1.2.3.4::',
    '1.2.3.4:1:2:3:4:5:6',
  ]
  for (const text of misplaced) assert.deepEqual([ipBytes(text), isIP(text)], [undefined, 0], text)
  for (const text of [
    '::',
    '::1',
    '1::',
    '1:2:3:4:5:6:7::',
    '::2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7:8',
    '::ffff:1.2.3.4',
    '::1.2.3.4',
    '1:2:3:4:5:6:1.2.3.4',
    '::ffff:0:0',
    '1.2.3.4',
  ])
    assert.deepEqual(ipBytes(text), bytesOf(text), text)
})

/** As the URLs of this machine have them. */
const bytesOf = (text: string): Buffer => {
  if (!text.includes(':')) return Buffer.from(text.split('.').map(Number))
  const { hostname } = new URL(`http://[${text}]/`)
  const [head, tail] = hostname
    .slice(1, -1)
    .split('::')
    .map(half => half.split(':').filter(Boolean))
  const zeros = Array<string>(8 - head!.length - (tail?.length ?? 0)).fill('0')
  const bytes = Buffer.from([...head!, ...zeros, ...(tail ?? [])].map(each => each.padStart(4, '0')).join(''), 'hex')
  return bytes.toString('hex', 0, 12) === '00000000000000000000ffff' ? bytes.subarray(12) : bytes
}
