import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { bootstrapRoles } from '../../../../lib/hub/authorize/bootstrap-roles.ts'
import { defaultClusterRoleBindings, defaultClusterRoles } from '../../../../lib/hub/authorize/default-roles.ts'
import { by, hubWorld } from '../store/world.ts'

interface Recorded {
  readonly roles: readonly (KubernetesObject & { readonly rules: readonly unknown[] })[]
  readonly bindings: readonly KubernetesObject[]
}

/** Of kube-apiserver 1.36; metadata without what differs from one cluster to the next. */
const recorded: Recorded = JSON.parse(readFileSync(new URL('default-roles.recorded.json', import.meta.url), 'utf8'))

const named = (objects: readonly KubernetesObject[]) => new Map(objects.map(object => [object.metadata.name, object]))

test('the default roles and bindings are those of Kubernetes, and those for Flux and Keelson', () => {
  const ours = named(defaultClusterRoles)
  for (const theirs of recorded.roles) {
    // What a collection comes to is written by a controller.
    const { rules, ...rest } = theirs
    assert.deepEqual(ours.get(theirs.metadata.name), theirs.aggregationRule ? rest : theirs)
  }
  const isTheirs = ({ metadata }: KubernetesObject) => named(recorded.bindings).has(metadata.name)
  const theirs = defaultClusterRoleBindings.filter(isTheirs)
  assert.deepEqual(named(theirs), named(recorded.bindings.toSorted(byPlaceIn(theirs))))
  const otherBindings = defaultClusterRoleBindings.filter(binding => !isTheirs(binding))
  assert.deepEqual(
    otherBindings.map(({ metadata }) => metadata.name),
    ['keelson-fleet', 'keelson-receipt-keys'],
  )
  const others = [...ours.keys()].filter(name => !named(recorded.roles).has(name))
  assert.deepEqual(others, [
    'keelson-fleet',
    'keelson-receipt-keys',
    'flux-view',
    'flux-edit',
    'keelson-view',
    'keelson-approver',
    'keelson-edit',
  ])
})

const byPlaceIn = (list: readonly KubernetesObject[]) => (a: KubernetesObject, b: KubernetesObject) =>
  list.findIndex(item => item.metadata.name === a.metadata.name) -
  list.findIndex(item => item.metadata.name === b.metadata.name)

const viewer = {
  group: 'rbac.authorization.k8s.io',
  kind: 'ClusterRole',
  namespace: '',
  name: 'system:aggregate-to-view',
}

test('a start adds what is missing in default roles, and leaves alone what is not to be updated', async () => {
  const { hub, changes } = await hubWorld()
  await bootstrapRoles(hub)
  changes.length = 0
  await bootstrapRoles(hub)
  assert.deepEqual(changes, [])
  const extra = { verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] }
  await hub.patch(viewer, { type: 'merge', patch: { rules: [extra] } }, by('test'))
  await bootstrapRoles(hub)
  const { rules } = (await hub.get(viewer)) as unknown as { rules: unknown[] }
  assert.deepEqual(rules[0], extra)
  assert.ok(rules.length > 10)
  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' }
  await hub.patch(viewer, { type: 'merge', patch: { metadata: { annotations }, rules: [extra] } }, by('test'))
  await bootstrapRoles(hub)
  assert.deepEqual((await hub.get(viewer))?.rules, [extra])
})
