import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { addressPolicy } from '../../../lib/foundations/rules/address-policy.ts'
import { guardedAgent } from '../../../lib/platform/http/guarded-agent.ts'
import { ocspRequest } from '../../../lib/sources/verify/revocation/ocsp.ts'
import { revocation } from '../../../lib/sources/verify/revocation/revocation.ts'
import { revocationClient } from '../../../lib/sources/verify/revocation/revocation-client.ts'
import { readCertificate } from '../../../lib/sources/verify/x509/certificate.ts'
import { type Issued, type OpensslAuthority, opensslAuthority, signerExtensions } from '../../bed/openssl-authority.ts'
import { endWithTest } from '../../bed/teardown.ts'

type Answer = Buffer | number

/** Servers that certificates name: what is asked of them, and what they answer. Nothing = they hang. */
const openServer = async () => {
  const answers = new Map<string, (request: Buffer, incoming: IncomingMessage) => Answer | undefined>()
  const asked: string[] = []
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const [, place = '', encoded = ''] = /^\/([^/]*)\/?(.*)$/.exec(incoming.url!)!
    asked.push(`${incoming.method} ${place}`)
    const request = chunks.length > 0 ? Buffer.concat(chunks) : Buffer.from(decodeURIComponent(encoded), 'base64')
    const answer = answers.get(place)?.(request, incoming)
    if (typeof answer === 'number') outgoing.writeHead(answer).end()
    else if (answer) outgoing.end(answer)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  endWithTest({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, answers, asked: () => asked.splice(0) }
}

/** An authority whose certificates name servers of the test's own. */
const openWorld = async (places: { readonly ocsp?: readonly string[]; readonly lists?: readonly string[] }) => {
  const server = await openServer()
  const authority = opensslAuthority()
  const { ocsp = [], lists = [] } = places
  const named = [
    ...signerExtensions,
    ...(ocsp.length > 0 ? [`authorityInfoAccess=${ocsp.map(place => `OCSP;URI:${server.url}/${place}`).join()}`] : []),
    ...(lists.length > 0 ? [`crlDistributionPoints=${lists.map(place => `URI:${server.url}/${place}`).join()}`] : []),
  ]
  let now = Date.now() + 1000
  const agent = guardedAgent()
  endWithTest({ [Symbol.asyncDispose]: () => agent.destroy() })
  const { statusOf } = revocation(revocationClient(agent, { now: () => now }))
  const look = async (signer: Issued, signedAt?: Date): Promise<string> => {
    const chain = [signer.text, authority.root].map(pem => readCertificate(Buffer.from(pem)))
    const { status, reason } = await statusOf(chain, new Date(now), signedAt)
    return reason ? `${status}: ${reason}` : status
  }
  const advance = (ms: number) => {
    now += ms
  }
  return { ...server, authority, named, look, advance, issue: () => authority.issue('signer', { extensions: named }) }
}

const asAuthority = (authority: OpensslAuthority) => (request: Buffer) => authority.answer(request, authority.self)
const hour = 60 * 60_000

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

test('an answer by somebody else counts only if the issuer has certified him for answers', async () => {
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

test('an answer that is too old, about somebody else, refused, cut off, damaged or late leaves it unknown', async () => {
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

test('the next responder is asked where one does not answer, but not where it does not know', async () => {
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

test('a list says whether a certificate was revoked, and is asked where no responder answers', async () => {
  for (const ocsp of [[], ['ocsp']]) {
    const world = await openWorld({ ocsp, lists: ['list'] })
    const signer = world.issue()
    world.answers.set('ocsp', () => 500)
    world.answers.set('list', () => world.authority.list('-crldays', '2'))
    assert.equal(await world.look(signer), 'good')
    world.asked()
    assert.equal(await world.look(signer), 'good')
    assert.ok(!world.asked().includes('GET list'), 'it is remembered')
    world.authority.revoke('signer')
    world.advance(2 * hour)
    assert.equal(await world.look(signer), 'revoked')
  }
})

test('every list that a certificate names must be had', async () => {
  const world = await openWorld({ lists: ['one', 'two'] })
  const signer = world.issue()
  world.answers.set('one', () => world.authority.list())
  world.answers.set('two', () => 404)
  assert.match(await world.look(signer), /^unknown: .*\/two responds with status 404/)
})

/** A list with these lines of openssl's configuration. */
const extendedList = (authority: OpensslAuthority, ...lines: string[]): Buffer => {
  const more = `${readFileSync(authority.at('ca.cnf'))}\n[more]\n${lines.join('\n')}\n`
  writeFileSync(authority.at('more.cnf'), more)
  authority.openssl('ca', '-config', 'more.cnf', '-gencrl', '-crlexts', 'more', '-out', 'more.pem')
  return authority.openssl('crl', '-in', 'more.pem', '-outform', 'DER')
}

test('a list by somebody else, that has run out, that is none, or of other certificates leaves it unknown', async () => {
  const world = await openWorld({ lists: ['list'] })
  const { authority, url } = world
  const signer = world.issue()
  const extended = (...lines: string[]) => extendedList(authority, ...lines)
  const cases: readonly [string, () => Answer][] = [
    ['CRL is not signed by CA', () => opensslAuthority().list()],
    ['expired CRL', () => authority.list('-crlsec', '1')],
    ['malformed ASN.1', () => Buffer.from('-----BEGIN X509 CRL-----')],
    ['malformed ASN.1', () => authority.list().subarray(0, 50)],
    ['the CRL is for certificates of another kind', () => extended('issuingDistributionPoint=critical,onlyCA:TRUE')],
    ['the CRL is for certificates of another kind', () => extended('issuingDistributionPoint=critical,onlyAA:TRUE')],
    ['indirect CRLs', () => extended('issuingDistributionPoint=critical,indirectCRL:TRUE')],
    ['another distribution point', () => extended(`issuingDistributionPoint=critical,fullname:URI:${url}/other`)],
    ['unsupported critical extension', () => extended('1.2.3.4=critical,ASN1:NULL')],
    ['the CRL is a delta CRL', () => extended('2.5.29.27=critical,ASN1:INTEGER:1')],
  ]
  world.advance(10_000)
  for (const [why, answer] of cases) {
    world.answers.set('list', answer)
    const found = await world.look(signer)
    assert.ok(found.startsWith('unknown: ') && found.includes(why), `${found}, not ${why}`)
  }
  world.answers.set('list', () => extended(`issuingDistributionPoint=critical,fullname:URI:${url}/list,onlyuser:TRUE`))
  assert.equal(await world.look(signer), 'good')
})

test('an authority that may not make lists makes none', async () => {
  const world = await openWorld({ lists: ['list'] })
  const other = opensslAuthority('limited', ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign'])
  const signer = other.issue('signer', { extensions: world.named })
  world.answers.set('list', () => other.list())
  const agent = guardedAgent()
  const chain = [signer.text, other.root].map(pem => readCertificate(Buffer.from(pem)))
  const { status, reason } = await revocation(revocationClient(agent, { now: Date.now })).statusOf(chain, new Date())
  await agent.destroy()
  assert.deepEqual({ status, reason }, { status: 'unknown', reason: `CRL is not signed by CA ${chain[1]!.name}` })
})

test('a certificate that is on hold is revoked, and one that became invalid later was good when it signed', async () => {
  const world = await openWorld({ lists: ['list'] })
  const signer = world.issue()
  world.answers.set('list', () => world.authority.list())
  world.authority.revoke('signer', '-crl_reason', 'certificateHold')
  assert.equal(await world.look(signer), 'revoked')
  const later = await openWorld({ lists: ['list'] })
  const other = later.issue()
  later.answers.set('list', () => later.authority.list())
  later.authority.revoke('signer', '-crl_compromise', '20300101000000Z')
  assert.equal(await later.look(other), 'revoked')
  assert.equal(await later.look(other, new Date('2029-01-01')), 'good')
  assert.equal(await later.look(other, new Date('2031-01-01')), 'revoked')
})

test('what changed since a list is asked for where the list says so, and must fit it', async () => {
  const world = await openWorld({ lists: ['list'] })
  const { authority, url } = world
  const signer = world.issue()
  const base = extendedList(authority, `freshestCRL=URI:${url}/gone,URI:${url}/changes`)
  world.answers.set('list', () => base)
  world.answers.set('gone', () => 404)
  const changesSince = (number: number) => extendedList(authority, `2.5.29.27=critical,ASN1:INTEGER:${number}`)
  world.answers.set('changes', () => changesSince(16))
  assert.equal(await world.look(signer), 'good')
  authority.revoke('signer')
  world.advance(2 * hour)
  writeFileSync(authority.at('crlnumber'), '10\n')
  const sameNumber = changesSince(16)
  for (const [why, answer] of [
    ['responds with status 404', () => 404],
    ['the delta CRL is for a newer base CRL', () => changesSince(99)],
    ['delta CRL indicator extension is not found', () => authority.list()],
    ['the delta CRL is not newer than the base CRL', () => sameNumber],
    ['CRL is not signed by CA', () => opensslAuthority().list()],
  ] as const) {
    world.answers.set('changes', answer)
    const found = await world.look(signer)
    assert.ok(found.startsWith('unknown: ') && found.includes(why), `${found}, not ${why}`)
  }
  world.answers.set('changes', () => changesSince(16))
  assert.equal(await world.look(signer), 'revoked')
})

test('a certificate that names nobody can not be revoked', async () => {
  const world = await openWorld({})
  assert.equal(await world.look(world.issue()), 'good')
  assert.deepEqual(world.asked(), [])
})

test('no address on this machine and none but http is asked', async () => {
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
