/** What a kubeconfig says of the life of its credentials. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { credentialOf } from '../../../../lib/clusters/client/credential.ts'
import type { ClusterAccess } from '../../../../lib/clusters/client/kubeconfig.ts'
import { certificateAuthority } from '../../../bed/certificates.ts'

const access = (more: Partial<ClusterAccess>): ClusterAccess => ({
  server: 'https://prod.example.com',
  insecureSkipTlsVerify: false,
  warnings: [],
  ...more,
})
const jwt = (claims: unknown): string => `head.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`

const { cert } = certificateAuthority().issue('jane')
const { validFromDate, validToDate } = new X509Certificate(cert)
const certificate = { type: 'ClientCertificate', issued: validFromDate.getTime(), expires: validToDate.getTime() }

test('a client certificate lives as long as it says', () => {
  assert.deepEqual(credentialOf(access({ clientCertificate: cert })), certificate)
})

test('a token of a ServiceAccount lives from iat to exp', () => {
  const token = jwt({ iat: 1_700_000_000, exp: 1_700_003_600 })
  assert.deepEqual(credentialOf(access({ token })), { type: 'Token', issued: 1.7e12, expires: 1.7000036e12 })
})

test('a token that is no JWT, or one without times, says nothing about its life', () => {
  const tokens = ['opaque', 'a.b', 'a.b.c', 'a.b.c.d', 'a..c', jwt({}), jwt(null), jwt({ exp: '1700000000' }), jwt([1])]
  for (const token of tokens) assert.deepEqual(credentialOf(access({ token })), { type: 'Token' }, token)
})

test('of several credentials the one that expires first counts', () => {
  const [early, late] = [jwt({ exp: 1 }), jwt({ exp: 4_000_000_000 })]
  assert.equal(credentialOf(access({ clientCertificate: cert, token: early })).type, 'Token')
  assert.deepEqual(credentialOf(access({ clientCertificate: cert, token: late })), certificate)
  assert.deepEqual(credentialOf(access({ clientCertificate: cert, token: 'opaque' })), certificate)
})

test('what has no end of its own is named by its type', () => {
  const basicAuth = { username: 'jane', password: 'hunter2' }
  assert.deepEqual(credentialOf(access({ basicAuth })), { type: 'BasicAuth' })
  assert.deepEqual(credentialOf(access({ eks: { clusterName: 'prod' } as never })), { type: 'HubIdentity' })
  assert.deepEqual(credentialOf(access({})), { type: 'None' })
})
