import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { ResourceQuota } from '../../../../lib/foundations/kinds/resource-quota.ts'
import { by, configMap, configMapRef, hubWorld } from './world.ts'

const me = by('me')
const quotaOf = (name: string, hard: Readonly<Record<string, string | number>>): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name, namespace: 'default' }, spec: { hard } },
})
const ref = (name: string) => ({ group: '', kind: 'ResourceQuota', namespace: 'default', name })

const world = async () => {
  const it = await hubWorld()
  const statusOf = async (name: string) => {
    await it.hub.settled()
    return (await it.hub.get<ResourceQuota>(ref(name)))?.status
  }
  return { ...it, statusOf }
}

test('of creations that race as many come in as the quota allows, and the others hear of it in the words of Kubernetes', async () => {
  const { hub, statusOf } = await world()
  await hub.create(configMap('before'), me)
  await hub.create(quotaOf('few', { 'count/configmaps': 5 }), me)
  assert.deepEqual(await statusOf('few'), { hard: { 'count/configmaps': '5' }, used: { 'count/configmaps': '1' } })
  const tried = Array.from({ length: 20 }, (_, at) => hub.create(configMap(`map-${at}`), me))
  const outcomes = await Promise.allSettled(tried)
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 4)
  const { reason } = outcomes.find(outcome => outcome.status === 'rejected')!
  assert.deepEqual([reason.code, reason.reason, reason.details.kind], [403, 'Forbidden', 'configmaps'])
  assert.match(
    reason.message,
    /^configmaps "map-\d+" is forbidden: exceeded quota: few, requested: count\/configmaps=1, used: count\/configmaps=5, limited: count\/configmaps=5$/,
  )
  const { items } = await hub.list({ group: '', kind: 'ConfigMap', namespace: 'default' })
  assert.equal(items.length, 5)
  assert.deepEqual((await statusOf('few'))?.used, { 'count/configmaps': '5' })
})

test('what is deleted may be made again, and what failed for another reason is not counted', async () => {
  const { hub, statusOf } = await world()
  await hub.create(quotaOf('one', { 'count/configmaps': '1', configmaps: '1k' }), me)
  await hub.create(configMap('a'), me)
  await assert.rejects(hub.create(configMap('b'), me), { reason: 'Forbidden' })
  await assert.rejects(
    hub.patch(configMapRef('b'), { type: 'apply', object: configMap('b') }, me),
    { reason: 'Forbidden' },
    'server-side apply creates, too',
  )
  await hub.delete(configMapRef('a'), {})
  assert.deepEqual((await statusOf('one'))?.used, { 'count/configmaps': '0', configmaps: '0' })
  await hub.create(configMap('b'), me)
  await hub.update(quotaOf('one', { 'count/configmaps': '3' }), me)
  assert.deepEqual(await statusOf('one'), { hard: { 'count/configmaps': '3' }, used: { 'count/configmaps': '1' } })
  await assert.rejects(hub.create(configMap('b'), me), { reason: 'AlreadyExists' })
  assert.deepEqual((await statusOf('one'))?.used, { 'count/configmaps': '1' })
})

test('counts resources of groups by their full name, only in its namespace, and all quotas hold', async () => {
  const { hub, statusOf } = await world()
  const kustomization = (name: string) => ({
    ...{
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name, namespace: 'default' },
    },
    spec: { interval: '1h', prune: true, sourceRef: { kind: 'GitRepository', name: 'x' } },
  })
  await hub.create(quotaOf('wide', { 'count/kustomizations.kustomize.toolkit.fluxcd.io': '10' }), me)
  await hub.create(quotaOf('narrow', { 'count/kustomizations.kustomize.toolkit.fluxcd.io': '1', cpu: '1500m' }), me)
  await hub.create(kustomization('a'), me)
  await assert.rejects(hub.create(kustomization('b'), me), { message: /exceeded quota: narrow/ })
  const used = { 'count/kustomizations.kustomize.toolkit.fluxcd.io': '1' }
  assert.deepEqual([(await statusOf('wide'))?.used, (await statusOf('narrow'))?.used], [used, used])
  await hub.create({ ...configMap('elsewhere'), metadata: { name: 'elsewhere', namespace: 'kube-system' } }, me)
})

test('refuses a bound that is no whole number, and heals what a crash left', async () => {
  const { hub, statusOf, restarted } = await world()
  await assert.rejects(hub.create(quotaOf('odd', { 'count/secrets': '1.5' }), me), {
    message: /spec.hard\[count\/secrets\]: Invalid value: "1.5": must be an integer/,
  })
  await hub.create(quotaOf('q', { 'count/configmaps': '2' }), me)
  await statusOf('q')
  await hub.patch(
    ref('q'),
    { type: 'merge', patch: { status: { used: { 'count/configmaps': '2' } } } },
    {
      ...me,
      subresource: 'status',
    },
  )
  await restarted().sweep()
  assert.deepEqual((await statusOf('q'))?.used, { 'count/configmaps': '0' })
})

test('a quota with scopes is about Pods, and bounds nothing that a hub has', async () => {
  const { hub, statusOf } = await world()
  const hard = { 'count/configmaps': '0' }
  const { spec, ...quota } = quotaOf('scoped', hard)
  await hub.create({ ...quota, spec: { hard, scopes: ['BestEffort'] } } as KubernetesObject, me)
  await hub.create(configMap('a'), me)
  assert.deepEqual(await statusOf('scoped'), { hard, used: { 'count/configmaps': '0' } })
})
