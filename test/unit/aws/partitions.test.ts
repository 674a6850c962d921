import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeKey, headKey, referrerKey, versionsKey } from '../../../lib/platform/adapters/aws/item-keys.ts'
import { partitionsOf, sharedPartitions } from '../../../lib/platform/adapters/aws/table-shape.ts'

/** As IAM's StringLike. */
const isLike = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.replace(/[.|#]/g, '\\$&').replaceAll('*', '.*')}$`, 's').test(text)

test('policies name the partitions that items are in, of a kind and of all kinds of a group', () => {
  const collection = 'GitRepository.source.toolkit.fluxcd.io'
  for (const named of [collection, '*.source.toolkit.fluxcd.io']) {
    const { heads, changes, versions } = partitionsOf(named)
    for (const name of ['a', 'b', 'c', 'd']) assert.ok(isLike(heads, headKey(collection, `default#${name}`).pk))
    for (let version = 1; version < 20; version++) assert.ok(isLike(changes, changeKey(collection, version).pk))
    assert.ok(isLike(versions, versionsKey(collection).pk))
    for (const other of ['Secret.', 'Secret.source.toolkit.fluxcd.io.example.com'])
      assert.ok(!isLike(heads, headKey(other, 'default#a').pk), other)
  }
  assert.ok(isLike(sharedPartitions.referrers, referrerKey('source', collection, 'default#a').pk))
})
