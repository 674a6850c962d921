import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { NotVerified } from '../../../lib/sources/verify/not-verified.ts'
import type { Envelope } from '../../../lib/sources/verify/notation/envelope.ts'
import { requireTimestamp } from '../../../lib/sources/verify/notation/timestamp.ts'
import type { ChainStatus } from '../../../lib/sources/verify/revocation/revocation.ts'
import { type Certificate, readCertificate } from '../../../lib/sources/verify/x509/certificate.ts'
import { requireChain } from '../../../lib/sources/verify/x509/require-chain.ts'
import { readTimestampToken } from '../../../lib/sources/verify/x509/timestamp-token.ts'
import { authorityExtensions, type Issued, type IssueOptions, opensslAuthority } from '../../bed/openssl-authority.ts'
import { tempDir } from '../../bed/temp-dir.ts'

const stamping = ['basicConstraints=CA:FALSE', 'keyUsage=digitalSignature', 'extendedKeyUsage=critical,timeStamping']

const certificate = (pem: string): Certificate => readCertificate(Buffer.from(pem))

const openWorld = () => {
  const authority = opensslAuthority('time')
  const tsa = authority.issue('tsa', { extensions: stamping })
  const signers = opensslAuthority('signers')
  const signature = randomBytes(70)
  const usual = signers.issue('signer', { from: '200101000000Z', to: '400101000000Z' })
  const envelope = (timestamp: Uint8Array | undefined, signer = usual, of: Uint8Array = signature) =>
    ({ timestamp, signature: of, chain: [certificate(signer.text)] }) as unknown as Envelope
  const verdict = async (
    token: Uint8Array | undefined,
    {
      roots = [authority.root],
      signer,
      of,
      standing = { status: 'good' },
    }: { roots?: readonly string[]; signer?: Issued; of?: Uint8Array; standing?: ChainStatus } = {},
  ): Promise<string> => {
    const trust = { roots: roots.map(certificate), revocation: { statusOf: async () => standing }, now: new Date() }
    try {
      await requireTimestamp(envelope(token, signer, of), trust)
      return 'good'
    } catch (error) {
      if (error instanceof NotVerified) return error.message
      throw error
    }
  }
  return { authority, tsa, signers, signature, verdict, stamp: (by = tsa) => authority.stamp(signature, by) }
}

test('a token that openssl made for the signature is good, whatever its keys and hashes are', async () => {
  const { authority, signature, verdict, stamp } = openWorld()
  assert.equal(await verdict(stamp()), 'good')
  const rsa = authority.issue('rsa', { extensions: stamping, key: 'rsa:2048' })
  for (const signer_digest of ['sha256', 'sha384', 'sha512']) {
    assert.equal(await verdict(authority.stamp(signature, rsa, { signer_digest })), 'good', signer_digest)
  }
})

test('a token of something else, by somebody else, or in which anything was changed is refused, or says the same', async () => {
  const { authority, signature, verdict, stamp, signers } = openWorld()
  const token = stamp()
  assert.match(await verdict(undefined), /^no timestamp countersignature was found/)
  assert.match(await verdict(token, { of: randomBytes(70) }), /it is for another signature/)
  assert.match(
    await verdict(token, { roots: [signers.root] }),
    /it was not signed by a trusted time-stamping authority/,
  )
  assert.match(await verdict(token, { roots: [] }), /it was not signed by a trusted time-stamping authority/)
  assert.match(await verdict(Buffer.from('garbage')), /malformed ASN\.1/)
  for (let at = 0; at < token.length; at++) {
    const changed = Buffer.from(token)
    changed[at]! ^= 1
    const found = await verdict(changed)
    if (found === 'good') assert.deepEqual(tellsOf(changed), tellsOf(token), `byte ${at} of ${token.toString('hex')}`)
  }
  const sha1 = authority.stamp(signature, authority.issue('old', { extensions: stamping, key: 'rsa:2048' }), {
    signer_digest: 'sha1',
  })
  assert.match(await verdict(sha1), /it was not signed by any of its certificates/)
  const named = authority.stamp(signature, authority.issue('v1', { extensions: stamping }), { ess_cert_id_alg: 'sha1' })
  assert.match(await verdict(named), /does not name its signing certificate/)
})

/** What is said, and by whom: a few bytes, such as the list of hashes that come, mean nothing. */
const tellsOf = (token: Buffer) => {
  const { info, signers } = readTimestampToken(token)
  return { time: info.time, accuracyMs: info.accuracyMs, signers: signers.map(({ raw }) => raw.toString('hex')) }
}

test('the authority must be valid, have a good key, and be one for time stamps only', async () => {
  const { authority, signature, verdict } = openWorld()
  const verdictOf = (name: string, options: IssueOptions) =>
    verdict(authority.stamp(signature, authority.issue(name, { extensions: stamping, ...options })))
  assert.match(await verdictOf('small', { key: 'rsa:1024' }), /its key is not supported/)
  const nobody = /it was not signed by a trusted time-stamping authority/
  assert.match(
    await verdictOf('past', { from: '200101000000Z', to: '210101000000Z' }),
    /it was not signed by any of its certificates/,
  )
  assert.match(await verdictOf('sha1', { hash: 'sha1' }), nobody)
  // With these openssl makes no token.
  const refusal = (...extensions: string[]) => {
    const issued = authority.issue('odd', { extensions })
    return () => requireChain([certificate(issued.text), certificate(authority.root)], 'timestamping')
  }
  const [constraints, usage, purpose] = stamping as [string, string, string]
  assert.doesNotThrow(refusal(...stamping))
  assert.throws(refusal(constraints, `${usage},keyEncipherment`, purpose), /"Digital Signature" only/)
  assert.throws(refusal(constraints, purpose), /key usage extension must be present/)
  assert.throws(refusal(constraints, usage), /must be critical, and Timestamping only/)
  assert.throws(
    refusal(constraints, usage, purpose.replace('critical,', '')),
    /must be critical, and Timestamping only/,
  )
  assert.throws(refusal(constraints, usage, `${purpose},codeSigning`), /must be critical, and Timestamping only/)
  assert.throws(refusal('basicConstraints=CA:TRUE', usage, purpose), /is an authority/)
})

test('intermediate authorities come with the token, and must be authorities', async () => {
  const { verdict, signature } = openWorld()
  const root = opensslAuthority('top')
  const through = (extensions: readonly string[]) => {
    const middle = root.issue('middle', { extensions })
    const folder = tempDir({ 'tsa.cnf': stamping.join('\n') })
    const run = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    run('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', 'tsa.key')
    run('req', '-new', '-config', '/dev/null', '-key', 'tsa.key', '-subj', '/CN=tsa', '-out', 'tsa.csr')
    const issue = ['x509', '-req', '-in', 'tsa.csr', '-CA', middle.certificate, '-CAkey', middle.key]
    run(...issue, '-set_serial', '7', '-extfile', 'tsa.cnf', '-days', '1', '-out', 'tsa.pem')
    writeFileSync(join(folder, 'certs.pem'), middle.text)
    const by: Issued = { certificate: join(folder, 'tsa.pem'), key: join(folder, 'tsa.key'), text: '' }
    return root.stamp(signature, by, { certs: join(folder, 'certs.pem') })
  }
  const verdictOf = (...extensions: string[]) => verdict(through(extensions), { roots: [root.root] })
  const nobody = /it was not signed by a trusted time-stamping authority/
  assert.equal(await verdictOf(...authorityExtensions), 'good')
  assert.equal(await verdictOf(...authorityExtensions, 'extendedKeyUsage=timeStamping'), 'good')
  assert.match(await verdictOf('basicConstraints=CA:FALSE', 'keyUsage=critical,keyCertSign'), nobody)
  assert.match(await verdictOf('basicConstraints=critical,CA:TRUE', 'keyUsage=critical,cRLSign'), nobody)
  assert.match(await verdictOf(...authorityExtensions, 'extendedKeyUsage=serverAuth'), nobody)
  assert.match(await verdictOf(...authorityExtensions, 'nameConstraints=critical,permitted;DNS:example.com'), nobody)
  assert.match(await verdictOf(...authorityExtensions, '1.2.3.4=critical,ASN1:NULL'), nobody)
})

test('the certificates of the signer must have been valid all of that time', async () => {
  const { verdict, stamp, signers } = openWorld()
  const token = stamp()
  const over = signers.issue('over', { from: '200101000000Z', to: '210101000000Z' })
  assert.match(await verdict(token, { signer: over }), /the timestamp can be after certificate "CN=over/)
  const notYet = signers.issue('later', { from: '400101000000Z', to: '410101000000Z' })
  assert.match(await verdict(token, { signer: notYet }), /the timestamp can be before certificate "CN=later/)
})

test('an authority that was revoked, or of which nobody knows, is not believed', async () => {
  const { verdict, stamp, tsa } = openWorld()
  const about = { certificate: certificate(tsa.text) }
  assert.match(
    await verdict(stamp(), { standing: { status: 'revoked', ...about } }),
    /^timestamping certificate .* is revoked$/,
  )
  assert.match(
    await verdict(stamp(), { standing: { status: 'unknown', reason: 'x', ...about } }),
    /revocation status is unknown: x$/,
  )
})
