import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { certificateAuthority } from '../../bed/certificates.ts'

test('issues certificates for loopback that chain to their authority', () => {
  const authority = certificateAuthority('ours')
  const ca = new X509Certificate(authority.ca)
  const { cert, key } = authority.issue('server')
  const leaf = new X509Certificate(cert)
  assert.deepEqual([ca.ca, leaf.ca, leaf.subject, leaf.issuer], [true, false, 'CN=server', 'CN=ours'])
  assert.ok(leaf.verify(ca.publicKey) && leaf.checkIssued(ca))
  assert.deepEqual([leaf.checkIP('127.0.0.1'), leaf.checkHost('localhost')], ['127.0.0.1', 'localhost'])
  assert.ok(key.startsWith('-----BEGIN PRIVATE KEY-----'))
})

test('is valid now: since an hour and for a day', () => {
  const { validFromDate, validToDate } = new X509Certificate(certificateAuthority().ca)
  const hours = (date: Date) => Math.round((date.getTime() - Date.now()) / 3_600_000)
  assert.deepEqual([hours(validFromDate), hours(validToDate)], [-1, 24])
})

test('trusts no other authority of the same name', () => {
  const [ours, theirs] = [certificateAuthority(), certificateAuthority()]
  const leaf = new X509Certificate(theirs.issue('server').cert)
  assert.equal(leaf.verify(new X509Certificate(ours.ca).publicKey), false)
})
