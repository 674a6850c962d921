import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsSigners, signers } from '../../bed/signers-binary.ts'
import { type SigningChain, signingChain } from '../../bed/signing-chain.ts'
import { attachReferrer, descriptorOf, filesLayer, openOciWorld, openRegistry } from './oci-world.ts'

export const envelopes = { jws: 'application/jose+json', cose: 'application/cose' } as const

type Registry = Awaited<ReturnType<typeof openRegistry>>

/** Pushes an image of its own under the name. */
export const pushed = async (registry: Registry, name: string): Promise<string> =>
  registry.push({ layers: [filesLayer({ 'a.yaml': name })] }, name, 'latest')

/** A signature by notation's own library. */
export const sign = async (
  form: keyof typeof envelopes,
  { key, chain }: SigningChain,
  descriptor: object,
  ...expiry: string[]
): Promise<Buffer> => (await signers(['notation', form, key, chain, JSON.stringify(descriptor), ...expiry])).stdout

export const signatureType = 'application/vnd.cncf.notary.signature'

/** Attaches a signature as notation does. */
export const attach = (
  registry: Registry,
  name: string,
  subject: { readonly digest: string },
  form: keyof typeof envelopes,
  content: Buffer,
) => attachReferrer(registry, name, subject, signatureType, { mediaType: envelopes[form], content })

export const trustPolicy = (statement: object = {}) =>
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

export const openNotationWorld = async () => {
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

export const skip = needsSigners()

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
