import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unreachable } from '../../../../lib/clusters/client/unreachable.ts'

const failing = (code: string, message: string) =>
  unreachable('GET', 'https://prod:6443/api', Object.assign(new Error(message), { code }))

test('an unreachable cluster is reported by its address and what happened instead of a response', () => {
  const { message, outage } = failing('ENOTFOUND', 'getaddrinfo ENOTFOUND prod')
  assert.match(message, /^Get "https:\/\/prod:6443\/api": /)
  assert.equal(outage?.server, 'https://prod:6443')
  assert.equal(message, `Get "https://prod:6443/api": ${outage?.problem}`)
})

test('an untrusted certificate is not an outage: the server responds', () => {
  const { message, outage } = failing('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate')
  assert.match(message, /x509: certificate signed by unknown authority/)
  assert.equal(outage, undefined)
})
