import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { addressPolicy } from '../../../lib/foundations/rules/address-policy.ts'
import { guardedAgent } from '../../../lib/platform/http/guarded-agent.ts'
import { ocspRequest } from '../../../lib/sources/verify/revocation/ocsp.ts'
import { revocation } from '../../../lib/sources/verify/revocation/revocation.ts'
import { revocationClient } from '../../../lib/sources/verify/revocation/revocation-client.ts'
import { readCertificate } from '../../../lib/sources/verify/x509/certificate.ts'
import { type Issued, type OpensslAuthority, opensslAuthority, signerExtensions } from '../../bed/openssl-authority.ts'
import { type Answer, hour, openWorld } from './revocation-world.ts'

const asAuthority = (authority: OpensslAuthority) => (request: Buffer) => authority.answer(request, authority.self)

test('an OCSP responder says whether a certificate was revoked', async () => {
  const world = await openWorld({ ocsp: ['ocsp'] })
  const signer = world.issue()
  world.answers.set('ocsp', asAuthority(world.authority))
  assert.equal(await world.look(signer), 'good')
  world.authority.revoke('signer')
  assert.equal(await world.look(signer), 'good', 'what was said a moment ago is remembered')
  assert.deepEqual(world.asked(), ['GET ocsp'])
  world.advance(2 * hour)
  world.answers.set('ocsp', request => world.authority.answer(request, world.authority.self, '-ndays', '1'))
  assert.equal(await world.look(signer), 'revoked')
})

test('a response of another responder is accepted only if the issuer has certified it for responses', async () => {
  const world = await openWorld({ ocsp: ['ocsp'] })
  const { authority } = world
  const signer = world.issue()
  const responder = authority.issue('responder', { extensions: ['extendedKeyUsage=OCSPSigning'] })
  const stranger = authority.issue('stranger')
  const old = authority.issue('old', {
    extensions: ['extendedKeyUsage=OCSPSigning'],
    from: '200101000000Z',
    to: '210101000000Z',
  })
  const elsewhere = opensslAuthority('elsewhere')
  const by = (who: Pick<Issued, 'certificate' | 'key'>) =>
    world.answers.set('ocsp', request => authority.answer(request, who))
  const unsigned = 'unknown: the OCSP response is not signed by an authorized responder of the issuer'
  for (const other of [
    stranger,
    old,
    elsewhere.issue('x', { extensions: ['extendedKeyUsage=OCSPSigning'] }),
    elsewhere.self,
  ]) {
    by(other)
    assert.equal(await world.look(signer), unsigned, other.certificate)
  }
  by(responder)
  assert.equal(await world.look(signer), 'good')
})

test('a response that is too old, about another certificate, refused, truncated, damaged or late leaves the status unknown', async () => {
  const world = await openWorld({ ocsp: ['ocsp'] })
  const { authority } = world
  const signer = world.issue()
  const other = readCertificate(Buffer.from(authority.issue('other').text))
  const about = ocspRequest({ certificate: other, issuer: readCertificate(Buffer.from(authority.root)) })
  const good = asAuthority(authority)
  const damaged = (request: Buffer) => {
    const answer = good(request)
    answer[answer.indexOf('20') + 13]! ^= 1 // a second of when it was made
    return answer
  }
  const cases: readonly [string, (request: Buffer) => Answer | undefined][] = [
    ['the OCSP response is about other certificates', () => good(about)],
    ['status 500', () => 500],
    ['malformed ASN.1', () => Buffer.from('<html>')],
    ['malformed ASN.1', request => good(request).subarray(0, 100)],
    ['not signed by', damaged],
    ['the OCSP responder returned an error: unauthorized', () => Buffer.from('30030a0106', 'hex')],
    ['the OCSP responder returned an error: try later', () => Buffer.from('30030a0103', 'hex')],
    ['is larger than 20480 bytes', () => Buffer.alloc(30_000)],
    ['context deadline exceeded', () => undefined],
    ['expired OCSP response', request => authority.answer(request, authority.self, '-resp_no_certs')],
  ]
  for (const [why, answer] of cases) {
    world.answers.set('ocsp', answer)
    const found = await world.look(signer)
    assert.ok(found.startsWith('unknown: ') && found.includes(why), `${found}, not ${why}`)
  }
  world.answers.set('ocsp', good)
  world.advance(-2 * hour)
  assert.match(await world.look(signer), /from the future/)
  world.advance(2 * hour)
  assert.equal(await world.look(signer), 'good')
  world.advance(20 * 60_000)
  world.answers.set('ocsp', () => 500)
  assert.match(await world.look(signer), /^unknown: .*status 500/, 'what is remembered has an end')
})

test('the next responder is used if one does not respond, but not if the certificate is unknown to it', async () => {
  const world = await openWorld({ ocsp: ['first', 'second'] })
  const signer = world.issue()
  world.answers.set('first', () => 503)
  world.answers.set('second', asAuthority(world.authority))
  assert.equal(await world.look(signer), 'good')
  world.advance(2 * hour)
  const elsewhere = opensslAuthority()
  world.answers.set('second', asAuthority(world.authority))
  world.asked()
  const other = await openWorld({ ocsp: ['first', 'second'] })
  const unlisted = other.issue()
  other.authority.openssl('ca', '-config', 'ca.cnf', '-updatedb')
  writeFileSync(other.authority.at('index.txt'), '') // the responder has never heard of it
  other.answers.set('first', asAuthority(other.authority))
  other.answers.set('second', asAuthority(elsewhere))
  assert.match(await other.look(unlisted), /^unknown: the OCSP responder does not know the certificate/)
  assert.deepEqual(other.asked(), ['GET first'])
})

test('a certificate that names nobody can not be revoked', async () => {
  const world = await openWorld({})
  assert.equal(await world.look(world.issue()), 'good')
  assert.deepEqual(world.asked(), [])
})

test('no address on this machine is contacted, and no scheme other than http', async () => {
  const world = await openWorld({ lists: ['list'] })
  const signer = world.issue()
  world.answers.set('list', () => world.authority.list())
  const agent = guardedAgent({ forbids: addressPolicy({ forbidAddresses: [], allowAddresses: [] }) })
  const careful = revocation(revocationClient(agent, { now: Date.now }))
  const chainOf = ({ text }: Issued) => [text, world.authority.root].map(pem => readCertificate(Buffer.from(pem)))
  const port = new URL(world.url).port
  const at = (uri: string) =>
    world.authority.issue('at', { extensions: [...signerExtensions, `crlDistributionPoints=URI:${uri}`] })
  for (const [named, why] of [
    [signer, 'is a loopback address'],
    [at(`http://localhost:${port}/list`), 'is a loopback address'],
    [at(`http://0.0.0.0:${port}/list`), 'is a loopback address'],
    [at(`http://[0:0:0:0:0:ffff:7f00:1]:${port}/list`), 'is a loopback address'],
    [at('http://169.254.169.254/latest'), 'is a link-local address'],
    [at('https://crl.example/list'), 'only http URLs are supported'],
    [at('ldap://crl.example/list'), 'only http URLs are supported'],
    [at('file:///etc/passwd'), 'only http URLs are supported'],
  ] as const) {
    const { status, reason: found } = await careful.statusOf(chainOf(named), new Date())
    assert.equal(status, 'unknown')
    assert.ok(found?.includes(why), `${found}, not ${why}`)
  }
  await agent.destroy()
  assert.deepEqual(world.asked(), [])
})
