import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { guardedAgent } from '../../../lib/platform/http/guarded-agent.ts'
import { revocation } from '../../../lib/sources/verify/revocation/revocation.ts'
import { revocationClient } from '../../../lib/sources/verify/revocation/revocation-client.ts'
import { readCertificate } from '../../../lib/sources/verify/x509/certificate.ts'
import { type OpensslAuthority, opensslAuthority } from '../../bed/openssl-authority.ts'
import { type Answer, hour, openWorld } from './revocation-world.ts'

/** A list with these lines of openssl's configuration. */
const extendedList = (authority: OpensslAuthority, ...lines: string[]): Buffer => {
  const more = `${readFileSync(authority.at('ca.cnf'))}\n[more]\n${lines.join('\n')}\n`
  writeFileSync(authority.at('more.cnf'), more)
  authority.openssl('ca', '-config', 'more.cnf', '-gencrl', '-crlexts', 'more', '-out', 'more.pem')
  return authority.openssl('crl', '-in', 'more.pem', '-outform', 'DER')
}

test('a list shows whether a certificate was revoked, and is used if no responder responds', async () => {
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

test('a list of another issuer, an expired or invalid one, or one of other certificates leaves the status unknown', async () => {
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

test('a delta list is fetched from where the base list names it, and must match it', async () => {
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
