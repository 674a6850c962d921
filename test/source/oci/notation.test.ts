import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SigningChain, signingChain } from '../../bed/signing-chain.ts'
import {
  attach,
  type envelopes,
  openNotationWorld,
  pushed,
  sign,
  signatureType,
  skip,
  trustPolicy,
} from './notation-world.ts'
import { descriptorOf, openRegistry } from './oci-world.ts'

type Descriptor = Awaited<ReturnType<typeof descriptorOf>>

test('OC-070: signatures are found where a registry lists what refers to an artifact', skip, async () => {
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

test('a trust store of another type is not used, and plugins are not supported', skip, async () => {
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
