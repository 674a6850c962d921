import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiVersionOf, builtInKinds, kindRegistry, storageVersionOf } from '../../../../lib/foundations/kinds/all.ts'
import type { Kind } from '../../../../lib/foundations/kinds/kind.ts'
import { secret } from '../../../../lib/foundations/kinds/secret.ts'

const widget: Kind = {
  group: 'example.com',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  shortNames: [],
  categories: [],
  namespaced: true,
  hasGeneration: true,
  versions: ['v2', 'v1'].map(name => ({ name, storage: name === 'v1', schema: { type: 'object' }, columns: [] })),
}

test('finds kinds by group and name, and by the parts of a path', () => {
  const registry = kindRegistry(builtInKinds)
  assert.equal(registry.find('', 'Secret'), secret)
  assert.deepEqual(registry.findResource('', 'v1', 'secrets'), { kind: secret, version: secret.versions[0] })
  assert.equal(registry.find('apps', 'Secret'), undefined)
  assert.equal(registry.findResource('', 'v2', 'secrets'), undefined)
})

test('learns and forgets kinds without changing what others hold', () => {
  const before = kindRegistry(builtInKinds)
  const after = before.with(widget)
  assert.equal(before.find('example.com', 'Widget'), undefined)
  assert.equal(after.findResource('example.com', 'v1', 'widgets')?.version.name, 'v1')
  assert.equal(after.with({ ...widget, plural: 'wijjets' }).findResource('example.com', 'v1', 'widgets'), undefined)
  assert.deepEqual(after.without('example.com', 'Widget').kinds, before.kinds)
})

test('stores a kind in one version and prefers the first', () => {
  assert.equal(storageVersionOf(widget).name, 'v1')
  assert.equal(apiVersionOf(widget), 'example.com/v2')
  assert.equal(apiVersionOf(secret), 'v1')
  for (const { kind, versions } of builtInKinds) assert.equal(versions.filter(({ storage }) => storage).length, 1, kind)
})
