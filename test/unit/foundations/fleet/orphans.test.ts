/** What on a cluster belongs to no unit, and what is left out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fleetOf } from '../../../../lib/foundations/fleet/fleet-clusters.ts'
import { type OwnedObjects, orphansIn } from '../../../../lib/foundations/fleet/orphans.ts'
import type { KubernetesObject, ObjectMeta } from '../../../../lib/foundations/kinds/object.ts'
import { condition, failed, objectOf, unitOn } from './fleet-parts.ts'

const knowing = (...names: readonly string[]) => ({
  inventory: { entries: names.map(name => ({ id: `default_${name}__ConfigMap`, v: 'v1' })) },
})

const owned = (
  name: string,
  unit: string,
  metadata: Partial<ObjectMeta> = {},
  kind = 'ConfigMap',
): KubernetesObject => {
  const [namespace, unitName] = unit.split('/') as [string, string]
  const labels = { 'kustomize.toolkit.fluxcd.io/name': unitName, 'kustomize.toolkit.fluxcd.io/namespace': namespace }
  return { apiVersion: 'v1', kind, metadata: { name, namespace: 'default', uid: `uid-${name}`, labels, ...metadata } }
}

const mapped: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: 'eu-shop',
    annotations: { 'keelson.dev/target': 'Secret/apps/a', 'keelson.dev/target-namespace': 'shop' },
  },
}

interface On {
  readonly objects: readonly KubernetesObject[]
  readonly uid?: string
  readonly local?: readonly string[]
}

/** What is found with these units, and these objects by the access of each Secret. */
const orphans = (units: readonly KubernetesObject[], on: Readonly<Record<string, On>>) => {
  const hub = { clusters: [], units, namespaces: [mapped] }
  const ofUnits = fleetOf(hub).clusters.map(({ access }) => access)
  const read = Object.entries(on).map(([name, { objects, uid = name, local = [] }]): OwnedObjects => {
    const access = ofUnits.find(one => one.name === name) ?? { kind: 'Secret' as const, namespace: 'apps', name }
    return { at: { access, units: [] }, identity: { uid, access: name }, objects, localUnits: new Set(local) }
  })
  const { found, undecided } = orphansIn(hub, read)
  return { found: found.map(({ at, object, reason }) => [at.access.name, object.metadata.name, reason]), undecided }
}

const web = unitOn('a', 'web', { status: knowing('known') })

test('an object is an orphan if its unit is gone, applies elsewhere, or does not have it in its inventory', () => {
  const objects = [owned('known', 'apps/web'), owned('dropped', 'apps/web'), owned('left', 'apps/gone')]
  assert.deepEqual(orphans([web], { a: { objects }, b: { objects: [owned('known', 'apps/web')] } }), {
    found: [
      ['a', 'left', 'UnitGone'],
      ['a', 'dropped', 'NotInInventory'],
      ['b', 'known', 'AppliesElsewhere'],
    ],
    undecided: [],
  })
})

test('two accesses of one cluster show each object once, and units of both are known', () => {
  const db = unitOn('b', 'db', { status: knowing('data') })
  const on = { uid: 'one', objects: [owned('known', 'apps/web'), owned('data', 'apps/db'), owned('left', 'apps/gone')] }
  assert.deepEqual(orphans([web, db], { a: on, b: on }).found, [['a', 'left', 'UnitGone']])
})

test('a unit that is not Ready, at work, without inventory, being deleted, or on an unread cluster decides nothing', () => {
  const objects = [owned('dropped', 'apps/web')]
  const status = knowing('known')
  const reconciling = condition('Reconciling', 'True', 'Progressing', 'building')
  const ready = condition('Ready', 'True', 'ReconciliationSucceeded', 'Applied')
  const undecided = { found: [], undecided: ['Kustomization/apps/web'] }
  const changing = { ...web, metadata: { ...web.metadata, generation: 2 } }
  const ending = { ...web, metadata: { ...web.metadata, deletionTimestamp: '2026-11-27T14:00:00Z' } }
  const units = [
    unitOn('a', 'web', { status, conditions: [failed('BuildFailed', 'no')] }),
    unitOn('a', 'web', { status, conditions: [ready, reconciling] }),
    unitOn('a', 'web'),
    unitOn('unread', 'web', { status }),
    changing,
    ending,
  ]
  for (const unit of units) assert.deepEqual(orphans([unit], { a: { objects } }), undecided)
})

test('what controllers made, hooks, objects being deleted, and what a Flux on the cluster owns are left out', () => {
  const objects = [
    owned('replicas', 'apps/gone', { ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'a' }] }),
    owned('endpoints', 'apps/gone', {}, 'Endpoints'),
    owned('hook', 'apps/gone', { annotations: { 'helm.sh/hook': 'test' } }),
    owned('ending', 'apps/gone', { deletionTimestamp: '2026-11-27T14:00:00Z' }),
    owned('local', 'flux-system/flux-system'),
    owned('without', 'apps/gone', { labels: {} }),
  ]
  const local = ['Kustomization/flux-system/flux-system']
  assert.deepEqual(orphans([web], { a: { objects, local } }), { found: [], undecided: [] })
})

test('the labels of a unit with an inherited target name its namespace on the cluster', () => {
  const shop = objectOf('Kustomization', 'shop', { namespace: 'eu-shop', status: knowing('cart') })
  const objects = [owned('cart', 'shop/shop'), owned('dropped', 'shop/shop'), owned('left', 'shop/gone')]
  assert.deepEqual(orphans([shop], { a: { objects } }).found, [
    ['a', 'left', 'UnitGone'],
    ['a', 'dropped', 'NotInInventory'],
  ])
})

test('the inventory of a unit on the hub counts everywhere, as its annotation may be invalid', () => {
  const unit = objectOf('Kustomization', 'web', { status: knowing('known') })
  const objects = [owned('known', 'apps/web'), owned('dropped', 'apps/web')]
  assert.deepEqual(orphans([unit], { a: { objects } }).found, [['a', 'dropped', 'NotInInventory']])
})

test('an object that is served in two groups is known by either', () => {
  const twice = owned('known', 'apps/web')
  const objects = [{ ...twice, apiVersion: 'other.example/v1' }, twice]
  assert.deepEqual(orphans([web], { a: { objects } }).found, [])
})
