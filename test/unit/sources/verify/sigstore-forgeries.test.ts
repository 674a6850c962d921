import assert from 'node:assert/strict'
import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { requireKeyless } from '../../../../lib/sources/verify/cosign-keyless.ts'
import { isSignedByKey } from '../../../../lib/sources/verify/cosign-keys.ts'
import type { Signatures } from '../../../../lib/sources/verify/find-signatures.ts'
import { NotVerified } from '../../../../lib/sources/verify/not-verified.ts'
import { readPublicKey } from '../../../../lib/sources/verify/public-key.ts'
import { certificateAuthority } from '../../../bed/certificates.ts'
import { testSigstore } from '../../../bed/sigstore.ts'

const sigstore = testSigstore()
const digest = `sha256:${'ab'.repeat(32)}`
const other = `sha256:${'cd'.repeat(32)}`
const workflow = 'https://github.com/acme/app/.github/workflows/release.yaml@refs/heads/main'
const identity = { subject: workflow, issuer: 'https://token.actions.githubusercontent.com' }

type Odd = Parameters<typeof sigstore.bundle>[2]

const inBundle = (odd?: Odd, of = digest, who = identity): Signatures => ({
  bundles: [Buffer.from(sigstore.bundle(of, who, odd))],
  attached: [],
})

const attached = (odd?: Odd, of = digest, changes: Readonly<Record<string, string>> = {}): Signatures => {
  const made = sigstore.attached(of, identity, odd)
  const annotations = { ...made.annotations, ...changes }
  const signature = annotations['dev.cosignproject.cosign/signature']!
  return { bundles: [], attached: [{ payload: made.payload, signature, annotations }] }
}

const judge = async (found: Signatures, subject?: string, issuer = '.*'): Promise<string> => {
  const policy = { identities: subject ? [{ subject, issuer }] : [], trustedRoot: Buffer.from(sigstore.trustedRoot) }
  try {
    await requireKeyless(found, digest, policy)
    return 'good'
  } catch (error) {
    assert.ok(error instanceof NotVerified, `${(error as Error).stack}`)
    return error.message
  }
}

test('a signature without keys is good in either form, when it was logged while its certificate was valid', async () => {
  for (const form of [inBundle, attached]) {
    assert.equal(await judge(form()), 'good')
    assert.equal(
      await judge(form(), '^https://github.com/acme/app/', '^https://token.actions.githubusercontent.com$'),
      'good',
    )
    const late = { loggedAt: new Date(Date.now() + 20 * 60_000) }
    assert.match(await judge(form(late)), /Failed to verify certificate chain/)
    assert.match(await judge(form({ without: ['sct'] })), /expected 1 SCTs, got 0/)
  }
})

test('an identity is matched as a regular expression, anywhere unless it is anchored, as cosign does', async () => {
  assert.equal(await judge(inBundle(), 'acme/app'), 'good')
  assert.equal(await judge(inBundle(), 'acme.app'), 'good')
  for (const [subject, issuer] of [
    ['^acme/app', '.*'],
    ['^https://github.com/acme/app$', '.*'],
    ['.*', '^https://accounts.google.com$'],
  ] as const) {
    assert.match(await judge(inBundle(), subject, issuer), /none of the expected identities matched/)
  }
  const lookalike = { ...identity, subject: 'https://github.com.evil.example/acme/app' }
  assert.match(await judge(inBundle({}, digest, lookalike), '^https://github\\.com/acme/'), /none of the expected/)
})

test('the time must be proven: by a promise of the log, and in a bundle its place in the log as well', async () => {
  assert.match(await judge(inBundle({ without: ['promise'] })), /expected 1 timestamps, got 0/)
  assert.match(await judge(inBundle({ without: ['proof'] })), /invalid bundle/)
  assert.equal(await judge(attached()), 'good', 'the promise alone is what older cosigns have')
  const entry = JSON.parse(attached().attached[0]!.annotations['dev.sigstore.cosign/bundle']!)
  entry.Payload.integratedTime -= 60
  const moved = { 'dev.sigstore.cosign/bundle': JSON.stringify(entry) }
  assert.match(await judge(attached({}, digest, moved)), /inclusion promise could not be verified/)
})

test('the certificate must be one for signing code, of an authority that is trusted', async () => {
  for (const form of [inBundle, attached]) {
    assert.match(await judge(form({ purposes: ['2b06010505070301'] })), /not for code signing/)
  }
  const strangers = { bundles: [Buffer.from(testSigstore().bundle(digest, identity))], attached: [] }
  assert.notEqual(await judge(strangers), 'good')
})

test('a signature of something else is none, however it is dressed', async () => {
  assert.match(await judge(inBundle({}, other)), /is for another artifact/)
  assert.match(await judge(attached({}, other)), /is for another artifact/)
  // A statement about ours that nobody signed, beside a signature of a message that somebody did.
  const good = JSON.parse(sigstore.bundle(other, identity))
  const ours = JSON.parse(sigstore.bundle(digest, identity)).dsseEnvelope.payload
  const digestOf = { algorithm: 'SHA2_256', digest: Buffer.alloc(32).toString('base64') }
  const { sig } = good.dsseEnvelope.signatures[0]
  for (const forged of [
    { ...good, dsseEnvelope: { ...good.dsseEnvelope, payload: ours } },
    {
      ...good,
      dsseEnvelope: { ...good.dsseEnvelope, payload: ours },
      messageSignature: { messageDigest: digestOf, signature: sig },
    },
    { ...good, dsseEnvelope: undefined, messageSignature: { messageDigest: digestOf, signature: sig } },
    { ...good, dsseEnvelope: { ...good.dsseEnvelope, payloadType: 'text/plain' } },
  ]) {
    assert.notEqual(await judge({ bundles: [Buffer.from(JSON.stringify(forged))], attached: [] }), 'good')
  }
  const [first, second] = [attached().attached[0]!, attached({}, other).attached[0]!]
  for (const mixed of [
    { ...second, payload: first.payload },
    { ...first, annotations: second.annotations },
    { ...first, signature: second.signature },
  ]) {
    assert.notEqual(await judge({ bundles: [], attached: [mixed] }), 'good')
  }
  const nothing = { 'dev.sigstore.cosign/certificate': '', 'dev.sigstore.cosign/bundle': '' }
  assert.notEqual(await judge(attached({}, digest, nothing)), 'good')
  for (const garbage of ['{}', '[]', 'null', '"x"', '{', '{"Payload":{"body":"AA"}}']) {
    assert.notEqual(await judge(attached({}, digest, { 'dev.sigstore.cosign/bundle': garbage })), 'good')
    assert.notEqual(await judge({ bundles: [Buffer.from(garbage)], attached: [] }), 'good')
  }
})

test('one good signature is enough, wherever it is among bad ones', async () => {
  const all = [inBundle({}, other), inBundle(), inBundle({ without: ['sct'] })].flatMap(({ bundles }) => bundles)
  assert.equal(await judge({ bundles: all, attached: [] }), 'good')
})

test('a key is a public one in PEM, of a kind and size that still counts', () => {
  const pem = (key: { export(options: object): unknown }, type: string) =>
    Buffer.from(String(key.export({ type, format: 'pem' })))
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const content = Buffer.from('x')
  const isRight = (key: Uint8Array, signature: Uint8Array) => readPublicKey(key).hasSigned(content, signature)
  assert.ok(isRight(pem(ec.publicKey, 'spki'), sign('sha256', content, ec.privateKey)))
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  for (const type of ['spki', 'pkcs1'])
    assert.ok(isRight(pem(rsa.publicKey, type), sign('sha256', content, rsa.privateKey)))
  assert.ok(!isRight(pem(rsa.publicKey, 'spki'), sign('sha1', content, rsa.privateKey)))
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
  assert.throws(() => readPublicKey(pem(small, 'spki')), /the RSA key has 1024 bits/)
  const { cert } = certificateAuthority().issue('x')
  const secret = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const foreign = [
    pem(secret, 'pkcs8'),
    pem(secret, 'sec1'),
    Buffer.from(cert),
    new X509Certificate(cert).raw,
    Buffer.from(''),
  ]
  const unreadable = {
    name: 'NotVerified',
    message: /^(PEM decoding failed$|unknown Public key PEM file type: (EC )?(PRIVATE KEY|CERTIFICATE))/,
  }
  for (const key of foreign) assert.throws(() => readPublicKey(key), unreadable)
  assert.throws(
    () => readPublicKey(pem(generateKeyPairSync('x25519').publicKey, 'spki')),
    /unsupported public key type/,
  )
})

test('a bundle by a key counts for the artifact that it names, in an envelope of the kind that names artifacts', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = readPublicKey(Buffer.from(String(publicKey.export({ type: 'spki', format: 'pem' }))))
  const envelope = (payloadType: string, statement: object) => {
    const payload = Buffer.from(JSON.stringify(statement))
    const encoded = Buffer.concat([
      Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
      payload,
    ])
    const sig = sign('sha256', encoded, privateKey).toString('base64')
    const dsseEnvelope = { payload: payload.toString('base64'), payloadType, signatures: [{ sig }] }
    return Buffer.from(JSON.stringify({ dsseEnvelope }))
  }
  const isSigned = (bundle: Buffer) => isSignedByKey({ bundles: [bundle], attached: [] }, digest, [key])
  const statement = { _type: 'https://in-toto.io/Statement/v1', subject: [{ digest: { sha256: digest.slice(7) } }] }
  const inToto = 'application/vnd.in-toto+json'
  assert.ok(isSigned(envelope(inToto, statement)))
  assert.ok(!isSigned(envelope('text/plain', statement)))
  assert.ok(!isSigned(envelope(inToto, { ...statement, _type: 'x' })))
  assert.ok(!isSigned(envelope(inToto, { ...statement, subject: [{ digest: { sha256: other.slice(7) } }] })))
  assert.ok(!isSigned(envelope(inToto, { ...statement, subject: [{ digest: { sha512: digest.slice(7) } }] })))
  const raw = JSON.parse(envelope(inToto, statement).toString())
  raw.dsseEnvelope.payload = Buffer.from(JSON.stringify({ ...statement, extra: 1 })).toString('base64')
  assert.ok(!isSigned(Buffer.from(JSON.stringify(raw))))
})
