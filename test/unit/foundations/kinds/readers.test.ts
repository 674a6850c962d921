/** The defaults that Flux's controllers assume where the API server fills in none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { intervalOf, isSuspended, requestedAtOf } from '../../../../lib/foundations/kinds/flux.ts'
import type { GitRepository } from '../../../../lib/foundations/kinds/git-repository.ts'
import { includePath } from '../../../../lib/foundations/kinds/git-repository.ts'
import type { Kustomization, KustomizationSpec } from '../../../../lib/foundations/kinds/kustomization.ts'
import {
  deletionPolicyOf,
  retryIntervalOf,
  sourceNamespaceOf,
  timeoutOf,
} from '../../../../lib/foundations/kinds/kustomization.ts'
import type { Receiver } from '../../../../lib/foundations/kinds/receiver.ts'
import { intervalOf as receiverIntervalOf } from '../../../../lib/foundations/kinds/receiver.ts'
import type { Secret } from '../../../../lib/foundations/kinds/secret.ts'
import { secretBytes } from '../../../../lib/foundations/kinds/secret.ts'
import { timeoutOf as sourceTimeoutOf } from '../../../../lib/foundations/kinds/source-fields.ts'

const minute = 60_000

const kustomization = (spec: Partial<KustomizationSpec> = {}): Kustomization => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name: 'app', namespace: 'team' },
  spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' }, ...spec },
})

test('gives a Kustomization its interval less 30s as timeout, and never less than 30s', () => {
  assert.deepEqual(
    [
      timeoutOf(kustomization()),
      timeoutOf(kustomization({ interval: '45s' })),
      timeoutOf(kustomization({ timeout: '2m' })),
      timeoutOf(kustomization({ timeout: '1s' })),
    ],
    [9.5 * minute, 0.5 * minute, 2 * minute, 0.5 * minute],
  )
})

test('retries a Kustomization at its interval by default', () => {
  assert.equal(intervalOf(kustomization()), 10 * minute)
  assert.equal(retryIntervalOf(kustomization()), 10 * minute)
  assert.equal(retryIntervalOf(kustomization({ retryInterval: '1m30s' })), 1.5 * minute)
})

test('deletes with a Kustomization what it prunes', () => {
  assert.equal(deletionPolicyOf(kustomization()), 'Delete')
  assert.equal(deletionPolicyOf(kustomization({ prune: false })), 'Orphan')
  assert.equal(deletionPolicyOf(kustomization({ prune: false, deletionPolicy: 'Delete' })), 'Delete')
  assert.equal(deletionPolicyOf(kustomization({ deletionPolicy: 'WaitForTermination' })), 'WaitForTermination')
})

test('searches for a source in the namespace of the Kustomization', () => {
  const elsewhere = { kind: 'Bucket', name: 'a', namespace: 'other' } as const
  assert.equal(sourceNamespaceOf(kustomization()), 'team')
  assert.equal(sourceNamespaceOf(kustomization({ sourceRef: elsewhere })), 'other')
})

test('recognizes suspended objects and requests', () => {
  const metadata = { name: 'a', annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } }
  assert.deepEqual([isSuspended(kustomization()), isSuspended(kustomization({ suspend: true }))], [false, true])
  assert.deepEqual(
    [requestedAtOf(kustomization()), requestedAtOf({ ...kustomization(), metadata })],
    [undefined, 'now'],
  )
})

test('gives git a minute, and an include the name of its repository as folder', () => {
  const metadata = { name: 'a' }
  const spec = { url: 'https://example.com', interval: '1m' }
  const repository: GitRepository = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', metadata, spec }
  assert.equal(sourceTimeoutOf(repository), minute)
  assert.equal(sourceTimeoutOf({ ...repository, spec: { ...spec, timeout: '20s' } }), minute / 3)
  assert.equal(includePath({ repository: { name: 'lib' } }), 'lib')
  assert.equal(includePath({ repository: { name: 'lib' }, toPath: 'x' }), 'x')
})

test('reconciles a Receiver every ten minutes', () => {
  const spec = { type: 'github', resources: [] } as const
  const receiver: Receiver = {
    apiVersion: 'notification.toolkit.fluxcd.io/v1',
    kind: 'Receiver',
    metadata: { name: 'a' },
    spec,
  }
  assert.equal(receiverIntervalOf(receiver), 10 * minute)
  assert.equal(receiverIntervalOf({ ...receiver, spec: { ...spec, interval: '1h' } }), 60 * minute)
})

test('reads a Secret by its own keys only', () => {
  const data = JSON.parse('{"a":"w6k="}')
  const secret: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data }
  assert.equal(secretBytes(secret, 'a')?.toString(), 'é')
  assert.equal(secretBytes(secret, 'b'), undefined)
  assert.equal(secretBytes(secret, 'constructor'), undefined)
})
