import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cluster } from '../../../../lib/foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import {
  formatPruneLimit,
  parseNamedKinds,
  parsePruneLimit,
  requiresConfirmation,
} from '../../../../lib/foundations/kinds/prune-limit.ts'
import { confirmedBy, pruneRulesOf, withHubLimit } from '../../../../lib/foundations/rules/prune-rules.ts'

const named = (kind: string, name: string, annotations?: Readonly<Record<string, string>>): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(annotations && { annotations }) },
})
const titleOf = ({ kind, metadata }: KubernetesObject): string => `${kind} ${metadata.name}`

test('a limit is a number of objects, a share, or both', () => {
  const cases = [
    ['5', { objects: 5 }],
    ['20%', { percent: 20 }],
    [' 5 , 20% ', { objects: 5, percent: 20 }],
    ['0', { objects: 0 }],
    ['0%', { percent: 0 }],
    ['101%', undefined],
    ['', undefined],
    ['five', undefined],
    ['-1', undefined],
    ['20%, 5', undefined],
  ] as const
  for (const [text, limit] of cases) assert.deepEqual(parsePruneLimit(text), limit, text)
  for (const [, limit] of cases) if (limit) assert.deepEqual(parsePruneLimit(formatPruneLimit(limit)), limit)
})

test('kinds are named as Kind or Kind.group', () => {
  assert.deepEqual(parseNamedKinds('Service, Ingress.networking.k8s.io'), [
    { kind: 'Service' },
    { kind: 'Ingress', group: 'networking.k8s.io' },
  ])
  assert.deepEqual(parseNamedKinds('*'), [{ kind: '*' }])
  for (const text of ['', 'services', 'Service,', 'Service Ingress'])
    assert.equal(parseNamedKinds(text), undefined, text)
})

test('only the annotation of an object itself requires approval of its deletion', () => {
  assert.equal(requiresConfirmation(named('ConfigMap', 'a', { 'keelson.dev/prune': 'confirm' })), true)
  for (const value of ['disabled', '', 'true'])
    assert.equal(requiresConfirmation(named('ConfigMap', 'a', { 'keelson.dev/prune': value })), false)
  assert.equal(requiresConfirmation(named('ConfigMap', 'a')), false)
})

test('rules come from the hub, Clusters, the Namespace and the unit, and all of them count', () => {
  const cluster = {
    ...named('Cluster', 'prod'),
    spec: { pruneLimit: { percent: 20 }, confirmPrune: [{ kind: 'Service' }] },
  } as unknown as Cluster
  const namespace = named('Namespace', 'apps', {
    'keelson.dev/prune-limit': '5',
    'keelson.dev/confirm-prune': 'Ingress.networking.k8s.io',
  })
  const unit = named('Kustomization', 'web', { 'keelson.dev/prune-limit': '2, 10%' })
  const rules = withHubLimit(pruneRulesOf([cluster], [namespace, unit], titleOf), { pruneLimit: { percent: 50 } })
  assert.deepEqual(rules.limits, [
    { percent: 50 },
    { percent: 20, by: 'Cluster prod' },
    { objects: 5, by: 'Namespace apps' },
    { objects: 2, percent: 10, by: 'Kustomization web' },
  ])
  const ref = { namespace: 'apps', name: 'web' }
  assert.equal(confirmedBy(rules, { ...ref, group: '', kind: 'Service' }), 'Cluster prod')
  assert.equal(confirmedBy(rules, { ...ref, group: 'networking.k8s.io', kind: 'Ingress' }), 'Namespace apps')
  assert.equal(confirmedBy(rules, { ...ref, group: 'serving.knative.dev', kind: 'Service' }), undefined)
})

test('an annotation that cannot be read makes every deletion wait, and says what is wrong', () => {
  for (const annotation of ['prune-limit', 'confirm-prune']) {
    const unit = named('Kustomization', 'web', { [`keelson.dev/${annotation}`]: 'half of it' })
    const [limit, ...others] = pruneRulesOf([], [unit], titleOf).limits
    assert.deepEqual([limit?.objects, others], [0, []])
    assert.match(
      limit?.by ?? '',
      new RegExp(`^annotation keelson.dev/${annotation} of Kustomization web \\("half of it" is not `),
    )
  }
})
