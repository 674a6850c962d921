import assert from 'node:assert/strict'
import { createCipheriv, createPrivateKey, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import bcrypt from 'bcryptjs'
import { newKey, readPrivateKey } from '../../../../lib/engines/template/certificates/private-key.ts'
import { certificateFunctions } from '../../../../lib/engines/template/functions/certificates.ts'
import { passwordFunctions } from '../../../../lib/engines/template/functions/passwords.ts'
import { slimSprigFunctions } from '../../../../lib/engines/template/functions/slim-sprig.ts'
import { parseTemplate } from '../../../../lib/engines/template/template.ts'

const now = () => Date.UTC(2026, 10, 21, 12)
let calls = 0
const bytes = (count: number) => new Uint8Array(count).fill(++calls)
const rsa = newKey('rsa', 2048)
const certifier = { now, bytes, newKey: (type: Parameters<typeof newKey>[0]) => (type === 'rsa' ? rsa : newKey(type)) }
const functions = () =>
  new Map([
    ...slimSprigFunctions({ now, random: () => 0 }),
    ...certificateFunctions(certifier),
    ...passwordFunctions(bytes),
  ])

const outcome = (text: string): string => {
  try {
    return parseTemplate('t', text, { functions: functions() }).execute(null)
  } catch (error) {
    return (error as Error).message.replace(/^.*?error calling /s, '')
  }
}
/** The certificates and keys that a template prints, each followed by `|`. */
const printed = (text: string): string[] => outcome(text).split('|').slice(0, -1)

const chain = `{{ $ca := genCA "my-ca" 365 }}
  {{- $server := genSignedCert "web" (list "10.0.0.1" "fd00::1") (list "web.example" "*.web.example") 30 $ca }}
  {{- $ca.Cert }}|{{ $server.Cert }}|{{ $server.Key }}|`

test('an authority signs for names and addresses, for the requested number of days', () => {
  const [ca, server, key] = printed(chain)
  const [authority, certificate] = [new X509Certificate(ca!), new X509Certificate(server!)]
  assert.ok(certificate.checkIssued(authority))
  assert.ok(certificate.verify(authority.publicKey))
  assert.ok(certificate.checkPrivateKey(createPrivateKey(key!)))
  assert.deepEqual([authority.ca, certificate.ca], [true, false])
  assert.deepEqual([authority.subject, certificate.issuer, certificate.subject], ['CN=my-ca', 'CN=my-ca', 'CN=web'])
  assert.equal(
    certificate.subjectAltName,
    'DNS:web.example, DNS:*.web.example, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1',
  )
  assert.deepEqual(
    [certificate.validFrom, certificate.validTo],
    ['Nov 21 12:00:00 2026 GMT', 'Dec 21 12:00:00 2026 GMT'],
  )
  assert.match(certificate.serialNumber, /^([0-9A-F]{2})\1{15}$/, 'the serial number is of the random bytes')
})

test('certificates are made for keys of every type that can sign', () => {
  for (const [type, label] of [
    ['', 'RSA PRIVATE KEY'],
    ['rsa', 'RSA PRIVATE KEY'],
    ['ecdsa', 'EC PRIVATE KEY'],
    ['ed25519', 'PRIVATE KEY'],
  ] as const) {
    const [cert, key] = printed(
      `{{ $key := genPrivateKey "${type}" }}{{ $c := genSelfSignedCertWithKey "me" nil (list "a.example") 1 $key }}{{ $c.Cert }}|{{ $c.Key }}|`,
    )
    assert.ok(key!.startsWith(`-----BEGIN ${label}-----\n`), key)
    const certificate = new X509Certificate(cert!)
    assert.ok(certificate.verify(certificate.publicKey), type)
    assert.ok(certificate.checkPrivateKey(createPrivateKey(key!)), type)
  }
})

test('DSA keys have 2,048 bits, and their subgroup 256', () => {
  const key = readPrivateKey(outcome('{{ genPrivateKey "dsa" }}'))
  assert.equal(key.asymmetricKeyType, 'dsa')
  assert.deepEqual(key.asymmetricKeyDetails, { modulusLength: 2048, divisorLength: 256 })
})

test('a certificate and key in base64 become one that can sign', () => {
  const [ca, server] = printed(`{{ $a := genCAWithKey "a" 1 (genPrivateKey "ecdsa") }}
    {{- $same := buildCustomCert (b64enc $a.Cert) (b64enc $a.Key) }}
    {{- $same.Cert }}|{{ (genSignedCertWithKey "b" nil nil 1 $same (genPrivateKey "ed25519")).Cert }}|`)
  assert.ok(new X509Certificate(server!).verify(new X509Certificate(ca!).publicKey))
})

test('days beyond what 64 bits hold of nanoseconds begin again, as in Go', () => {
  const [pem] = printed('{{ (genCAWithKey "x" 4000000 (genPrivateKey "ed25519")).Cert }}|')
  const { validFromDate, validToDate } = new X509Certificate(pem!)
  assert.equal(Math.floor((validToDate.getTime() - validFromDate.getTime()) / 86_400_000), -56_576)
})

test('invalid keys, certificates, addresses and names are reported without quoting them', () => {
  const table: Record<string, string> = {
    'genPrivateKey "nonsense"': 'Unknown type nonsense',
    'genCAWithKey "x" 1 "secret"': 'genCAWithKey: parsing private key: no PEM data in input',
    'genCAWithKey "x" 1 "-----BEGIN PRIVATE KEY-----\\nc2VjcmV0\\n-----END PRIVATE KEY-----"':
      'genCAWithKey: parsing private key: decoding PEM as PKCS#8: malformed key',
    'genCAWithKey "x" 1 "-----BEGIN DSA PRIVATE KEY-----\\nc2VjcmV0\\n-----END DSA PRIVATE KEY-----"':
      'genCAWithKey: parsing private key: parsing DSA private key from PEM: malformed key',
    'genSelfSignedCert "x" (list "10.0.0.256") nil 1': 'genSelfSignedCert: error parsing ip: 10.0.0.256',
    'genSelfSignedCert "x" (list "fd00:::1") nil 1': 'genSelfSignedCert: error parsing ip: fd00:::1',
    'genSelfSignedCert "x" nil (list 7) 1': 'genSelfSignedCert: error processing alternate dns name: 7 is not a string',
    'buildCustomCert "eA==" "%"': 'buildCustomCert: unable to decode base64 private key',
  }
  assert.deepEqual(Object.fromEntries(Object.keys(table).map(call => [call, outcome(`{{ ${call} }}`)])), table)
})

test('a password is derived as by the Master Password algorithm', () => {
  const derive = (sort: string) => outcome(`{{ derivePassword 2 "${sort}" "password" "user" "example.com" }}`)
  // As sprig of Go printed them.
  assert.deepEqual(['medium', 'short', 'basic', 'pin', 'other'].map(derive), [
    'Fov2-Jal',
    'Fov2',
    'OQe2Zwl7',
    '3882',
    'cannot find password template other',
  ])
  assert.equal(outcome('{{ derivePassword 1 "long" "password" "user" "example.com" }}'), 'ZedaFaxcZaso9*')
  assert.equal(
    outcome('{{ derivePassword 4294967297 "maximum" "pässword" "üser" "example.com" }}'),
    'E3~e9TWuWpfQKZo9ZDfJ',
  )
})

test('what Go encrypted is decrypted, and what cannot be says why', () => {
  const ofGo = 'UmsVdWOd4PtqqeXf+KhAHaJ+uB9R22h0I7+3Xgf56D1FXAqhC+778PVNPWHxfW/0'
  assert.equal(outcome(`{{ decryptAES "secretkey" "${ofGo}" }}`), 'plaintext äöü')
  assert.equal(outcome('{{ encryptAES "k" "text" | decryptAES "k" }}|{{ encryptAES "k" "" }}'), 'text|')
  assert.equal(outcome('{{ decryptAES "k" "abc" }}'), 'decryptAES: illegal base64 data at input byte 0')
  assert.match(outcome('{{ decryptAES "k" "YWJj" }}'), /^decryptAES: the encrypted text has 3 bytes/)
  assert.notEqual(outcome(`{{ decryptAES "another" "${ofGo}" }}`), 'plaintext äöü')
  const cut = (length: number) => outcome(`{{ decryptAES "k" "${Buffer.alloc(length).toString('base64')}" }}`)
  for (const length of [1, 15, 16, 17, 31, 33, 47])
    assert.match(cut(length), new RegExp(`^decryptAES: the encrypted text has ${length} bytes`))
  for (const length of [32, 48]) assert.doesNotMatch(cut(length), /what is encrypted/)
})

test('what was filled up is taken away again, be it a whole block, and is never more than there is', () => {
  const decrypted = (...last: number[]) => {
    const cipher = createCipheriv('aes-256-cbc', Buffer.from('k'.padEnd(32, '\0')), Buffer.alloc(16)).setAutoPadding(
      false,
    )
    const block = Buffer.concat([Buffer.alloc(16 - last.length, 'a'), Buffer.from(last)])
    const bytes = Buffer.concat([Buffer.alloc(16), cipher.update(block), cipher.final()])
    return outcome(`{{ decryptAES "k" "${bytes.toString('base64')}" }}`)
  }
  assert.equal(decrypted(1), 'a'.repeat(15))
  assert.equal(decrypted(98, 15), 'a')
  assert.equal(decrypted(16), '')
  assert.equal(decrypted(17), 'decryptAES: the password is another than it was encrypted with')
})

test('an htpasswd line holds for its password', () => {
  const [user, hash] = outcome('{{ htpasswd "me" "pass" }}').split(':')
  assert.equal(user, 'me')
  assert.match(hash!, /^\$2a\$10\$/)
  assert.ok(bcrypt.compareSync('pass', hash!))
  assert.ok(!bcrypt.compareSync('past', hash!))
  assert.equal(outcome('{{ htpasswd "a:b" "p" }}'), 'invalid username: a:b')
  assert.match(outcome('{{ bcrypt (repeat 72 "x") }}'), /^\$2a\$10\$/)
  assert.match(outcome('{{ bcrypt (repeat 73 "x") }}'), /password length exceeds 72 bytes$/)
})
