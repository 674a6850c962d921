import assert from 'node:assert/strict'
import { test } from 'node:test'
import { policies } from '../../../../lib/clusters/apply/policies.ts'

const { isExcluded, isForced, isIfNotPresent, isKept, isMerge } = policies('kustomize.toolkit.fluxcd.io')

const marked = (where: 'labels' | 'annotations', key: string, value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', [where]: { [`kustomize.toolkit.fluxcd.io/${key}`]: value } },
})

test('KS-027..029 policies are labels or annotations, in any case', () => {
  for (const where of ['labels', 'annotations'] as const) {
    assert.ok(isKept(marked(where, 'prune', 'Disabled')))
    assert.ok(isKept(marked(where, 'reconcile', 'disabled')) && isExcluded(marked(where, 'reconcile', 'DISABLED')))
    assert.ok(isKept(marked(where, 'ssa', 'ignore')) && isExcluded(marked(where, 'ssa', 'Ignore')))
    assert.ok(isIfNotPresent(marked(where, 'ssa', 'IfNotPresent')))
    assert.ok(isMerge(marked(where, 'ssa', 'merge')))
    assert.ok(isForced(marked(where, 'force', 'Enabled')))
  }
})

test('other values, other keys and malformed ones mean nothing', () => {
  const objects = [
    marked('labels', 'prune', 'enabled'),
    marked('labels', 'reconcile', ''),
    marked('annotations', 'force', true as never),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
  ]
  for (const says of [isExcluded, isForced, isIfNotPresent, isKept, isMerge]) assert.deepEqual(objects.filter(says), [])
})
