import assert from 'node:assert/strict'
import { test } from 'node:test'
import { credentialStatus, credentialsValid } from '../../../../lib/reconcile/cluster/credential-report.ts'
import type { Probe } from '../../../../lib/reconcile/cluster/probe.ts'

const server = 'https://prod.example.com'
const answered: Probe = { type: 'reachable', server, latencyMs: 5, health: { type: 'healthy' } }
const refused: Probe = { type: 'refused', server, message: 'Unauthorized' }
const unreachable: Probe = { type: 'unreachable', server, message: 'connection refused' }

const day = 86_400_000
const credential = { type: 'ClientCertificate', issued: 0, expires: 365 * day } as const

const said = (probe: Probe, now: number, of: Parameters<typeof credentialsValid>[0] = credential): string => {
  const { status, reason, message } = credentialsValid(of, probe, now)
  return `${status} ${reason}: ${message}`
}

test('the cluster decides whether a credential is valid, whatever this clock says', () => {
  const until = '1971-01-01T00:00:00Z'
  assert.equal(said(answered, 100 * day), `True Accepted: the client certificate is accepted, valid until ${until}`)
  assert.equal(said(answered, 400 * day), `True ExpiresSoon: the client certificate expires at ${until}: replace it`)
  assert.equal(said(refused, 100 * day), 'False Unauthorized: the cluster refuses the client certificate: Unauthorized')
})

test('one that is refused after its end has expired', () => {
  assert.equal(said(refused, 365 * day), 'False Expired: the client certificate expired at 1971-01-01T00:00:00Z')
})

test('of an unreachable cluster only the expiry is known', () => {
  assert.match(said(unreachable, 100 * day), /^Unknown ClusterUnreachable: /)
  assert.match(said(unreachable, 400 * day), /^False Expired: /)
})

test('a credential without an end is accepted, and no end is shown', () => {
  assert.equal(said(answered, 0, { type: 'Token' }), 'True Accepted: the token is accepted')
  assert.deepEqual(credentialStatus({ type: 'Token' }), { type: 'Token' })
  assert.deepEqual(credentialStatus(credential), { type: 'ClientCertificate', validUntil: '1971-01-01T00:00:00Z' })
})
