import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { decode, encode, Tag } from 'cbor2'
import { jsonServer } from '../../bed/json-server.ts'
import { opensslAuthority, signerExtensions } from '../../bed/openssl-authority.ts'
import { type SigningChain, signingChain } from '../../bed/signing-chain.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { attach, type envelopes, openNotationWorld, pushed, sign, skip, trustPolicy } from './notation-world.ts'
import { descriptorOf, minute, openRegistry } from './oci-world.ts'

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
