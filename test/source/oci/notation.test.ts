import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { decode, encode, Tag } from 'cbor2'
import { jsonServer } from '../../bed/json-server.ts'
import { opensslAuthority, signerExtensions } from '../../bed/openssl-authority.ts'
import { needsSigners, signers } from '../../bed/signers-binary.ts'
import { type SigningChain, signingChain } from '../../bed/signing-chain.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { attachReferrer, descriptorOf, filesLayer, minute, openOciWorld, openRegistry } from './oci-world.ts'

const envelopes = { jws: 'application/jose+json', cose: 'application/cose' } as const

type Descriptor = Awaited<ReturnType<typeof descriptorOf>>
type Registry = Awaited<ReturnType<typeof openRegistry>>

/** Pushes an image of its own under the name. */
const pushed = async (registry: Registry, name: string): Promise<string> =>
  registry.push({ layers: [filesLayer({ 'a.yaml': name })] }, name, 'latest')

/** A signature by notation's own library. */
const sign = async (
  form: keyof typeof envelopes,
  { key, chain }: SigningChain,
  descriptor: object,
  ...expiry: string[]
): Promise<Buffer> => (await signers(['notation', form, key, chain, JSON.stringify(descriptor), ...expiry])).stdout

const signatureType = 'application/vnd.cncf.notary.signature'

/** Attaches a signature as notation does. */
const attach = (
  registry: Registry,
  name: string,
  subject: { readonly digest: string },
  form: keyof typeof envelopes,
  content: Buffer,
) => attachReferrer(registry, name, subject, signatureType, { mediaType: envelopes[form], content })

const trustPolicy = (statement: object = {}) =>
  JSON.stringify({
    version: '1.0',
    trustPolicies: [
      {
        name: 'all',
        registryScopes: ['*'],
        signatureVerification: { level: 'strict' },
        trustStores: ['ca:all'],
        trustedIdentities: ['*'],
        ...statement,
      },
    ],
  })

const openNotationWorld = async () => {
  const world = await openOciWorld()
  return {
    ...world,
    /** What comes of an OCIRepository that wants notation's signatures. */
    async verdict(
      registry: Registry,
      name: string,
      chain: SigningChain,
      document = trustPolicy(),
      secret = name,
      certificates: object = {},
    ) {
      await world.clock.advance(Math.max(0, Date.now() + 1000 - world.clock.now())) // certificates are of just now
      await world.create('Secret', secret, {
        stringData: { 'trustpolicy.json': document, 'ca.crt': chain.root, ...certificates },
      })
      const verify = { provider: 'notation', secretRef: { name: secret } } as const
      await world.applies(secret, { url: registry.url(name), verify })
      const conditions = await world.conditions(secret)
      return conditions.find(line => line.startsWith('SourceVerified')) ?? conditions.join()
    },
  }
}

/** The signature itself, of which timestamps are. */
const signatureIn = (form: keyof typeof envelopes, envelope: Buffer): Uint8Array =>
  form === 'jws'
    ? Buffer.from(JSON.parse(envelope.toString()).signature, 'base64url')
    : (decode<Tag>(envelope).contents as Uint8Array[])[3]!

const timestampHeader = 'io.cncf.notary.timestampSignature'

/** An envelope with a token among what is not signed, as notation's signer adds it. */
const withTimestamp = (form: keyof typeof envelopes, envelope: Buffer, token: Buffer): Buffer => {
  if (form === 'jws') {
    const { header, ...rest } = JSON.parse(envelope.toString())
    return Buffer.from(JSON.stringify({ ...rest, header: { ...header, [timestampHeader]: token.toString('base64') } }))
  }
  // cbor2 takes a Buffer for an object of its own.
  const { contents } = decode<Tag>(new Uint8Array(envelope))
  const [head, others, ...rest] = contents as [Uint8Array, Map<unknown, unknown>, ...Uint8Array[]]
  return Buffer.from(
    encode(new Tag(18, [head, new Map([...others, [timestampHeader, new Uint8Array(token)]]), ...rest])),
  )
}

/** A server of lists of revoked certificates; its address. */
const listServer = async (list: () => Buffer): Promise<string> => {
  const server = createServer((_, answer) => answer.end(list()))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  endWithTest({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`
}

const skip = needsSigners()

for (const form of ['jws', 'cose'] as const) {
  for (const key of ['ec:P-256', 'ec:P-384', 'ec:P-521', 'rsa:2048', 'rsa:3072']) {
    test(`OC-070 OC-071: a ${form} signature of notation by a key ${key} is good`, skip, async () => {
      const registry = await openRegistry()
      const chain = signingChain({ key })
      const digest = await pushed(registry, 'app')
      const descriptor = await descriptorOf(registry, 'app', digest)
      await attach(registry, 'app', descriptor, form, await sign(form, chain, descriptor))
      const world = await openNotationWorld()
      const identity = 'x509.subject: C=US, ST=WA, O=Notary, CN=signer'
      const verdict = await world.verdict(registry, 'app', chain, trustPolicy({ trustedIdentities: [identity] }))
      assert.equal(verdict, `SourceVerified=True Succeeded: verified signature of revision latest@${digest}`)
      assert.deepEqual(await world.files('app'), { 'a.yaml': 'app' })
    })
  }
}

test('signatures are found where a registry lists what refers to an artifact', skip, async () => {
  const registry = await openRegistry()
  const chain = signingChain()
  const digest = await pushed(registry, 'app')
  const descriptor = await descriptorOf(registry, 'app', digest)
  const index = await attach(registry, 'app', descriptor, 'jws', await sign('jws', chain, descriptor))
  const asked: string[] = []
  registry.server.intercept = ({ url = '' }, response) => {
    if (url.includes(`/manifests/${digest.replace(':', '-')}`)) asked.push('tag')
    if (!url.includes(`/referrers/${digest}`)) return false
    asked.push(decodeURIComponent(url.split('?')[1]!))
    response.writeHead(200, { 'content-type': 'application/vnd.oci.image.index.v1+json' }).end(index)
    return true
  }
  const world = await openNotationWorld()
  assert.match(await world.verdict(registry, 'app', chain), /=True/)
  assert.deepEqual(asked, [`artifactType=${signatureType}`])
})

test('OC-072: what notation would refuse is refused', skip, async () => {
  const registry = await openRegistry()
  const chain = signingChain()
  const world = await openNotationWorld()
  const refusal = async (
    name: string,
    change: (at: { name: string; descriptor: Descriptor }) => Promise<unknown>,
    document?: string,
  ) => {
    const digest = await pushed(registry, name)
    await change({ name, descriptor: await descriptorOf(registry, name, digest) })
    const verdict = await world.verdict(registry, name, chain, document)
    assert.equal((await world.statusOf(name))!.artifact, undefined, `${name}: ${verdict}`)
    return verdict
  }
  const signedBy =
    (signer: SigningChain, form: keyof typeof envelopes = 'jws', ...expiry: string[]) =>
    async ({ name, descriptor }: { name: string; descriptor: Descriptor }) =>
      attach(registry, name, descriptor, form, await sign(form, signer, descriptor, ...expiry))

  assert.match(
    await refusal('unsigned', async () => {}),
    /^SourceVerified=False VerificationError: failed to verify the signature using provider 'notation': no signature is associated with/,
  )
  assert.match(await refusal('stranger', signedBy(signingChain())), /not produced by a trusted signer/)
  const other = trustPolicy({ trustedIdentities: ['x509.subject: C=US, ST=WA, O=Notary, CN=somebody'] })
  assert.match(await refusal('identity', signedBy(chain), other), /does not match the X\.509 trusted identities/)
  assert.match(
    await refusal('scope', signedBy(chain), trustPolicy({ registryScopes: ['h.example/app'] })),
    /no applicable trust policy/,
  )
  assert.match(await refusal('document', signedBy(chain), '{}'), /unsupported version/)
  for (const form of ['jws', 'cose'] as const) {
    const replayed = async ({ name, descriptor }: { name: string; descriptor: Descriptor }) => {
      const elsewhere = await descriptorOf(registry, 'stranger', await pushed(registry, 'stranger'))
      await attach(registry, name, descriptor, form, await sign(form, chain, elsewhere))
    }
    assert.match(await refusal(`replayed-${form}`, replayed), /content descriptor mismatch/)
    const broken = async ({ name, descriptor }: { name: string; descriptor: Descriptor }) => {
      const content = await sign(form, chain, descriptor)
      const at = form === 'jws' ? content.indexOf('"signature":"') + 40 : content.length - 10
      content[at] = content[at] === 0x41 ? 0x42 : 0x41
      await attach(registry, name, descriptor, form, content)
    }
    assert.match(await refusal(`broken-${form}`, broken), /signature is invalid/)
    const garbage = async ({ name, descriptor }: { name: string; descriptor: Descriptor }) =>
      attach(registry, name, descriptor, form, Buffer.from('garbage'))
    assert.match(await refusal(`garbage-${form}`, garbage), /unable to parse the digital signature/)
  }
})

test('a signature has an end, which counts unless the policy only logs it', skip, async () => {
  const registry = await openRegistry()
  const chain = signingChain()
  const world = await openNotationWorld()
  const digest = await pushed(registry, 'app')
  const descriptor = await descriptorOf(registry, 'app', digest)
  await attach(registry, 'app', descriptor, 'cose', await sign('cose', chain, descriptor, '60s'))
  assert.match(await world.verdict(registry, 'app', chain, trustPolicy(), 'before'), /=True/)
  await world.advance(3 * minute)
  assert.match(await world.verdict(registry, 'app', chain, trustPolicy(), 'after'), /digital signature has expired/)
  const permissive = trustPolicy({ signatureVerification: { level: 'permissive' } })
  assert.match(await world.verdict(registry, 'app', chain, permissive, 'permissive'), /=True/)
  await world.clock.advance(3 * 24 * 60 * minute)
  assert.match(
    await world.verdict(
      registry,
      'app',
      chain,
      trustPolicy({ signatureVerification: { level: 'strict', override: { expiry: 'log' } } }),
      'too-late',
    ),
    /certificate "CN=signer.* is valid from .* not now/,
  )
})

test(
  'a signer whose certificate was revoked is refused, and one of whom nobody knows, unless the policy lets them',
  skip,
  async () => {
    const registry = await openRegistry()
    const world = await openNotationWorld()
    const authority = opensslAuthority()
    const server = await jsonServer(() => undefined)
    const lists = await listServer(() => authority.list())
    const chainOf = (name: string, uri: string): SigningChain => {
      const points = `crlDistributionPoints=URI:${uri}`
      const { key, certificate, text } = authority.issue(name, { extensions: [...signerExtensions, points] })
      writeFileSync(certificate, text + authority.root)
      return { key, chain: certificate, leaf: text, root: authority.root }
    }
    const signedBy = async (name: string, chain: SigningChain) => {
      const descriptor = await descriptorOf(registry, name, await pushed(registry, name))
      await attach(registry, name, descriptor, 'jws', await sign('jws', chain, descriptor))
      return (secret: string, signatureVerification: object = { level: 'strict' }) =>
        world.verdict(registry, name, chain, trustPolicy({ signatureVerification }), `${name}-${secret}`)
    }
    const known = await signedBy('known', chainOf('known', lists))
    const silent = await signedBy('silent', chainOf('silent', `${server.url}/list`))
    assert.match(await known('good'), /=True/)
    assert.match(
      await silent('strict'),
      /=False VerificationError: .*signing certificate with subject "CN=silent,O=Notary,ST=WA,C=US" revocation status is unknown: .*status 404/s,
    )
    authority.openssl('ca', '-config', 'ca.cnf', '-revoke', 'known.pem')
    await world.advance(2 * 60 * minute)
    assert.match(await known('revoked'), /=False VerificationError: .*CN=known,.* is revoked/s)
    for (const verdict of [known, silent]) {
      for (const revocation of ['log', 'skip']) {
        assert.match(await verdict(revocation, { level: 'strict', override: { revocation } }), /=True/)
      }
      assert.match(await verdict('permissive', { level: 'permissive' }), /=True/)
    }
  },
)

test('a timestamp makes a signature outlive its certificate, or is wanted always', skip, async () => {
  const registry = await openRegistry()
  const world = await openNotationWorld()
  const authority = opensslAuthority('time')
  const extensions = [
    'basicConstraints=CA:FALSE',
    'keyUsage=digitalSignature',
    'extendedKeyUsage=critical,timeStamping',
  ]
  const tsa = authority.issue('tsa', { extensions, to: '400101000000Z' })
  const chain = signingChain()
  const verdictOf = async (
    name: string,
    secret: string,
    verifyTimestamp?: string,
    trustStores = ['ca:all', 'tsa:all'],
  ) => {
    const signatureVerification = { level: 'strict', ...(verifyTimestamp && { verifyTimestamp }) }
    const document = trustPolicy({ signatureVerification, trustStores })
    const certificates = { 'tsa.crt': authority.root }
    return world.verdict(registry, name, chain, document, `${name}-${secret}`, certificates)
  }
  await setTimeout(2000) // the authority may be a second off
  for (const form of ['jws', 'cose'] as const) {
    const [stamped, bare] = [`stamped-${form}`, `bare-${form}`]
    for (const name of [stamped, bare]) {
      const descriptor = await descriptorOf(registry, name, await pushed(registry, name))
      const envelope = await sign(form, chain, descriptor)
      const signature = signatureIn(form, envelope)
      const content = name === bare ? envelope : withTimestamp(form, envelope, authority.stamp(signature, tsa))
      await attach(registry, name, descriptor, form, content)
    }
    assert.match(await verdictOf(stamped, 'always'), /=True/)
    assert.match(await verdictOf(stamped, 'after', 'afterCertExpiry'), /=True/)
    assert.match(await verdictOf(bare, 'always'), /=False .*no timestamp countersignature was found/s)
    assert.match(await verdictOf(bare, 'after', 'afterCertExpiry'), /=True/)
    assert.match(await verdictOf(bare, 'untimed', 'always', ['ca:all']), /=True/)
  }
  await world.clock.advance(3 * 24 * 60 * minute)
  for (const form of ['jws', 'cose'] as const) {
    const [stamped, bare] = [`stamped-${form}`, `bare-${form}`]
    assert.match(await verdictOf(stamped, 'late', 'afterCertExpiry'), /=True/)
    assert.match(await verdictOf(bare, 'late', 'afterCertExpiry'), /=False .*no timestamp countersignature was found/s)
    assert.match(await verdictOf(stamped, 'untimed', 'always', ['ca:all']), /=False .*not now/s)
  }
})

test('a trust store of another kind vouches for nobody, and plugins are not to be had', skip, async () => {
  const registry = await openRegistry()
  const world = await openNotationWorld()
  const chain = signingChain()
  const descriptor = await descriptorOf(registry, 'app', await pushed(registry, 'app'))
  await attach(registry, 'app', descriptor, 'jws', await sign('jws', chain, descriptor))
  for (const store of ['signingAuthority:all', 'tsa:all']) {
    const verdict = await world.verdict(
      registry,
      'app',
      chain,
      trustPolicy({ trustStores: [store] }),
      store.slice(0, 3),
    )
    assert.match(verdict, /=False .*no trusted certificates are found to verify authenticity/s)
  }
  const index = { ...descriptor, mediaType: 'application/vnd.oci.image.index.v1+json' }
  const other = await descriptorOf(registry, 'other', await pushed(registry, 'other'))
  await attach(
    registry,
    'other',
    other,
    'jws',
    await sign('jws', chain, { ...index, digest: other.digest, size: other.size }),
  )
  assert.match(await world.verdict(registry, 'other', chain), /=False .*content descriptor mismatch/s)
})

test(
  'a policy that skips or only audits lets artifacts in, and calls them verified only if they are',
  skip,
  async () => {
    const registry = await openRegistry()
    const world = await openNotationWorld()
    const chain = signingChain()
    const digest = await pushed(registry, 'app')
    const descriptor = await descriptorOf(registry, 'app', digest)
    await attach(registry, 'app', descriptor, 'jws', await sign('jws', signingChain(), descriptor))
    for (const level of ['skip', 'audit']) {
      const verdict = await world.verdict(
        registry,
        'app',
        chain,
        trustPolicy({ signatureVerification: { level } }),
        level,
      )
      assert.doesNotMatch(verdict, /SourceVerified/)
      assert.deepEqual(await world.files(level), { 'a.yaml': 'app' })
    }
  },
)
