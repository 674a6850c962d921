import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pushImage, pushManifest } from '../../bed/push-image.ts'
import { needsSigners, signers } from '../../bed/signers-binary.ts'
import { type SigningChain, signingChain } from '../../bed/signing-chain.ts'
import { filesLayer, minute, openOciWorld, openRegistry } from './oci-world.ts'

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const envelopes = { jws: 'application/jose+json', cose: 'application/cose' } as const

type Descriptor = Awaited<ReturnType<typeof descriptorOf>>
type Registry = Awaited<ReturnType<typeof openRegistry>>

/** Pushes an image of its own under the name. */
const pushed = async (registry: Registry, name: string): Promise<string> =>
  registry.push({ layers: [filesLayer({ 'a.yaml': name })] }, name, 'latest')

const descriptorOf = async (registry: Registry, name: string, digest: string) => {
  const url = `${registry.server.directOrigin}/v2/${name}/manifests/${digest}`
  const { headers } = await fetch(url, { method: 'HEAD', headers: { accept: manifestType } })
  return { mediaType: manifestType, digest, size: Number(headers.get('content-length')) }
}

/** A signature by notation's own library. */
const sign = async (
  form: keyof typeof envelopes,
  { key, chain }: SigningChain,
  descriptor: object,
  ...expiry: string[]
): Promise<Buffer> => (await signers(['notation', form, key, chain, JSON.stringify(descriptor), ...expiry])).stdout

const signatureType = 'application/vnd.cncf.notary.signature'

/** Attaches a signature as notation does where a registry can't list referrers: with an index under a tag. */
const attach = async (
  registry: Registry,
  name: string,
  subject: { readonly digest: string },
  form: keyof typeof envelopes,
  content: Buffer,
) => {
  const config = { mediaType: signatureType, content: '{}' }
  const digest = await pushImage(
    { config, layers: [{ mediaType: envelopes[form], content }], subject },
    registry.target(name),
  )
  const descriptor = { ...(await descriptorOf(registry, name, digest)), artifactType: signatureType }
  const mediaType = 'application/vnd.oci.image.index.v1+json'
  const index = JSON.stringify({ schemaVersion: 2, mediaType, manifests: [descriptor] })
  await pushManifest(index, mediaType, registry.target(name, subject.digest.replace(':', '-')))
  return index
}

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
    async verdict(registry: Registry, name: string, chain: SigningChain, document = trustPolicy(), secret = name) {
      await world.clock.advance(Math.max(0, Date.now() + 1000 - world.clock.now())) // certificates are of just now
      await world.create('Secret', secret, { stringData: { 'trustpolicy.json': document, 'ca.crt': chain.root } })
      const verify = { provider: 'notation', secretRef: { name: secret } } as const
      await world.applies(secret, { url: registry.url(name), verify })
      const conditions = await world.conditions(secret)
      return conditions.find(line => line.startsWith('SourceVerified')) ?? conditions.join()
    },
  }
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
  'of certificates that can be revoked nobody knows whether they are, unless the policy skips that',
  skip,
  async () => {
    const registry = await openRegistry()
    const world = await openNotationWorld()
    const revocable = [
      ...['basicConstraints=CA:FALSE', 'keyUsage=critical,digitalSignature', 'extendedKeyUsage=codeSigning'],
      'crlDistributionPoints=URI:http://crl.example/list',
    ]
    const chain = signingChain({ extensions: revocable })
    const digest = await pushed(registry, 'app')
    const descriptor = await descriptorOf(registry, 'app', digest)
    await attach(registry, 'app', descriptor, 'jws', await sign('jws', chain, descriptor))
    assert.match(await world.verdict(registry, 'app', chain, trustPolicy(), 'strict'), /revocation status is unknown/)
    const skipping = trustPolicy({ signatureVerification: { level: 'strict', override: { revocation: 'skip' } } })
    assert.match(await world.verdict(registry, 'app', chain, skipping, 'skipping'), /=True/)
  },
)

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
