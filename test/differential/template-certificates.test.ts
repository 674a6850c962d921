import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { newKey } from '../../lib/engines/template/certificates/private-key.ts'
import { certificateFunctions } from '../../lib/engines/template/functions/certificates.ts'
import { passwordFunctions } from '../../lib/engines/template/functions/passwords.ts'
import { slimSprigFunctions } from '../../lib/engines/template/functions/slim-sprig.ts'
import { parseTemplate } from '../../lib/engines/template/template.ts'
import { command } from '../bed/command.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { hasTemplateOracle, type TemplateOracle, templateOracle } from '../bed/template-oracle.ts'

const skip =
  hasTemplateOracle() || process.env.CI
    ? false
    : "Go's text/template is not built yet: npm run fuzz -- template builds it"

let oracle: TemplateOracle
before(async () => {
  if (!skip) oracle = await templateOracle()
})
after(() => oracle?.[Symbol.asyncDispose]())

const ambient = { now: Date.now, bytes: randomBytes, newKey }
const functions = new Map([
  ...slimSprigFunctions({ now: Date.now, random: Math.random }),
  ...certificateFunctions(ambient),
  ...passwordFunctions(randomBytes),
])
const goPrints = async (template: string): Promise<string> => {
  const { output, error } = await oracle.ask({ functions: 'sprig', template, data: {} })
  return output ?? error!
}
const wePrint = async (template: string): Promise<string> => {
  try {
    return parseTemplate('test', template, { functions, missingKey: 'zero' }).execute(null)
  } catch (error) {
    return (error as Error).message
  }
}
/** A file of the running test. */
const file = (content: string): string => {
  const path = join(endWithTest(disposableDir()).path, 'file.pem')
  writeFileSync(path, content)
  return path
}
const openssl = (...args: string[]) => command('openssl', args)

/** What OpenSSL reads in a certificate, without what differs each time. */
const described = async (pem: string): Promise<string> =>
  (await openssl('x509', '-noout', '-text', '-in', file(pem)))
    .replace(/Serial Number:\s*[0-9a-f:]+/, '')
    .replace(/Not (Before|After)\s*: .*/g, '')
    .replace(/Signature Value:[\s0-9a-f:]+/, '')
    .replace(/^ +([0-9a-f]{2}:)+([0-9a-f]{2})?$/gm, '')
    .replace(/([0-9A-F]{2}:){19}[0-9A-F]{2}/g, 'IDENTIFIER')
    .replace(/\n\s*\n/g, '\n')

const names = '(list "10.0.0.1" "fd00::1" "::ffff:10.0.0.2") (list "web.example" "*.web.example")'
const certificates = {
  'an authority': '{{ (genCA "my ca" 365).Cert }}',
  'an authority with an EC key, beyond 2050': '{{ (genCAWithKey "my@ca" 20000 (genPrivateKey "ecdsa")).Cert }}',
  'a certificate of its own': `{{ (genSelfSignedCert "web" ${names} 30).Cert }}`,
  'a certificate without a name': `{{ (genSelfSignedCertWithKey "" nil (list "a.example") 1 (genPrivateKey "ed25519")).Cert }}`,
  'a signed certificate': `{{ (genSignedCert "web" ${names} 30 (genCA "ca" 1)).Cert }}`,
  'a signed certificate with keys of other types':
    '{{ (genSignedCertWithKey "web" nil nil 1 (genCAWithKey "ca" 1 (genPrivateKey "ecdsa")) (genPrivateKey "ed25519")).Cert }}',
}

for (const [what, template] of Object.entries(certificates))
  test(`${what} says the same as Go's`, { skip }, async () => {
    assert.equal(await described(await wePrint(template)), await described(await goPrints(template)))
  })

test('OpenSSL verifies the chain, for its names only', async () => {
  const text = `{{ $ca := genCA "ca" 1 }}{{ $ca.Cert }}|{{ (genSignedCert "web" ${names} 1 $ca).Cert }}`
  const [ca, server] = (await wePrint(text)).split('|').map(file) as [string, string]
  const verify = (...args: string[]) => openssl('verify', '-x509_strict', '-CAfile', ca, ...args, server)
  assert.match(await verify('-verify_hostname', 'a.web.example', '-purpose', 'sslserver'), /: OK/)
  assert.match(await verify('-verify_ip', 'fd00::1'), /: OK/)
  await assert.rejects(verify('-verify_hostname', 'other.example'), /[Hh]ostname mismatch/)
})

test("Go signs with our authority's certificate and key, and we with Go's, whatever the type of key", {
  skip,
}, async () => {
  for (const type of ['rsa', 'ecdsa', 'ed25519']) {
    const pair = `{{ $c := genCAWithKey "ca" 1 (genPrivateKey "${type}") }}{{ $c.Cert }}|{{ $c.Key }}`
    for (const [make, sign] of [
      [wePrint, goPrints],
      [goPrints, wePrint],
    ] as const) {
      const [cert, key] = (await make(pair)).split('|') as [string, string]
      const [cert64, key64] = [cert, key].map(text => Buffer.from(text).toString('base64'))
      const signed = await sign(`{{ (genSignedCert "x" nil nil 1 (buildCustomCert "${cert64}" "${key64}")).Cert }}`)
      assert.match(await openssl('verify', '-CAfile', file(cert), file(signed)), /: OK/, type)
    }
  }
})

test('DSA keys are read by each other, and neither signs with them', { skip }, async () => {
  const ofGo = await goPrints('{{ genPrivateKey "dsa" }}')
  const ours = await wePrint('{{ genPrivateKey "dsa" }}')
  const readable = (key: string) => openssl('dsa', '-noout', '-text', '-in', file(key))
  assert.match(await readable(ours), /Private-Key: \(2048 bit\)/)
  for (const key of [ofGo, ours]) {
    const template = `{{ genCAWithKey "x" 1 ${JSON.stringify(key)} }}`
    assert.equal(await wePrint(template), await goPrints(template))
    assert.match(await wePrint(template), /does not implement crypto.Signer/)
  }
})

test('each decrypts what the other has encrypted', { skip }, async () => {
  for (const password of ['k', 'a password that is longer than thirty-two bytes'])
    for (const [encrypt, decrypt] of [
      [wePrint, goPrints],
      [goPrints, wePrint],
    ] as const) {
      const encrypted = await encrypt(`{{ encryptAES "${password}" "plaintext äöü" }}`)
      assert.equal(await decrypt(`{{ decryptAES "${password}" "${encrypted}" }}`), 'plaintext äöü')
    }
})

const refused = [
  'derivePassword 1 "long" "password" "user" "example.com"',
  'derivePassword 4294967297 "maximum" "pässword" "üser" "例.example"',
  ...['medium', 'short', 'basic', 'pin', 'other'].map(sort => `derivePassword 2 "${sort}" "p" "u" "s"`),
  'derivePassword -1 "pin" "a" "b" "c"',
  'derivePassword "1" "pin" "a" "b" "c"',
  'derivePassword 1.0 "pin" "a" "b" "c"',
  'derivePassword nil "pin" "a" "b" "c"',
  'derivePassword (int 1) "pin" "a" "b" "c"',
  'decryptAES "k" "abc"',
  'encryptAES "k" ""',
  'htpasswd "a:b" "p"',
  'bcrypt (repeat 73 "x")',
  'genPrivateKey "nonsense"',
  'genCA "x" "y"',
  'genSelfSignedCert "x" (list "nope") nil 1',
  'genSelfSignedCert "x" (list "1.2.3.04") nil 1',
  'genSelfSignedCert "x" (list "1::2::3") nil 1',
  'genSelfSignedCert "x" (list "1:2:3:4:5:6:7::8") nil 1 | len',
  'genSelfSignedCert "x" (list 7) nil 1',
  'genSelfSignedCert "x" nil (list 7) 1',
  'genSelfSignedCert "x" nil (list "ö.example") 1',
  'genSelfSignedCert "x" (list) "a" 1',
  'genSignedCert "x" nil nil 1 (dict "Cert" "a")',
  'genSignedCert "x" nil nil 1 "a"',
  'genSignedCert "x" nil nil 1 nil',
  '(genCA "x" 1).Nope',
  'printf "%T" (genCA "x" 1)',
  'kindOf (genCA "x" 1)',
  'buildCustomCert "%" "x"',
  'buildCustomCert "eA==" "%"',
  'buildCustomCert "eA==" "eA=="',
  'genCAWithKey "x" 1 "nothing"',
  'genCAWithKey "x" 1 "-----BEGIN FOO PRIVATE KEY-----\\neA==\\n-----END FOO PRIVATE KEY-----\\n"',
  'genCAWithKey "x" 1 "-----BEGIN CERTIFICATE-----\\neA==\\n-----END CERTIFICATE-----\\n"',
  'genSignedCert "x" nil nil 1 (buildCustomCert ((genCA "a" 1).Cert | b64enc) ((genCA "b" 1).Key | b64enc))',
]

test('what is derived, and what is refused, is the same as in Go', { skip }, async () => {
  const [go, ours]: Record<string, string>[] = [{}, {}]
  for (const call of refused) {
    go![call] = await goPrints(`{{ ${call} }}`)
    ours![call] = await wePrint(`{{ ${call} }}`)
  }
  assert.deepEqual(ours, go)
})
