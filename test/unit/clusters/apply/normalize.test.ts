import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalize } from '../../../../lib/clusters/apply/normalize.ts'
import { certificateAuthority } from '../../../bed/certificates.ts'
import { corpusFile, needsCorpus } from '../../../conformance/corpus.ts'
import { resultsOf } from '../../../conformance/suite.ts'
import { suite } from '../../../conformance/suites/ssa.ts'

const object = (apiVersion: string, kind: string, fields: object) => ({
  apiVersion,
  kind,
  metadata: { name: 'x' },
  ...fields,
})

test("KS-288 brings objects into the form that Flux's ssa gives them", needsCorpus('ssa'), async () => {
  const results = await Array.fromAsync(resultsOf(suite, corpusFile('ssa')))
  assert.deepEqual(
    results.filter(({ problem }) => problem),
    [],
  )
})

test('KS-288 a Secret holds data only; stringData wins', () => {
  const secret = object('v1', 'Secret', { data: { a: 'YQ\n==', b: 'Yg==' }, stringData: { b: 'B', c: 'é' } })
  assert.deepEqual(normalize(secret), object('v1', 'Secret', { data: { a: 'YQ==', b: 'Qg==', c: 'w6k=' } }))
  assert.deepEqual(normalize(object('v1', 'Secret', { stringData: {} })), object('v1', 'Secret', {}))
})

test('a CustomResourceDefinition loses an invalid authority, and keeps a valid one', () => {
  const definition = (clientConfig: object) =>
    object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
      spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig } } },
    })
  const url = 'https://example.com'
  const caBundle = Buffer.from(certificateAuthority().ca).toString('base64')
  const broken = Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----').toString('base64')
  assert.deepEqual(normalize(definition({ url, caBundle: 'Cg==' })), definition({ url }))
  assert.deepEqual(normalize(definition({ url, caBundle: broken })), definition({ url }))
  assert.deepEqual(normalize(definition({ url, caBundle })), definition({ url, caBundle }))
})

test('leaves to the API server what is malformed', () => {
  for (const malformed of [
    object('v1', 'Secret', { stringData: { a: 1 } }),
    object('v1', 'Secret', { data: 'x' }),
    object('v1', 'Service', { spec: { ports: 'x' } }),
    object('apps/v1', 'Deployment', { spec: { template: null } }),
    object('apps/v1', 'Deployment', { spec: { template: { spec: { containers: [null, { ports: [8080] }] } } } }),
  ])
    assert.deepEqual(normalize(malformed), malformed)
})

test('does not change the object it was given', () => {
  const service = object('v1', 'Service', { spec: { ports: [{ port: 80 }] } })
  const before = structuredClone(service)
  normalize(service)
  assert.deepEqual(service, before)
})
