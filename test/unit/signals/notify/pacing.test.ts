/** What an Alert sends whose annotations spare people. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { describeOutage } from '../../../../lib/foundations/rules/outage.ts'
import { alert, app, failed, provider, type Scene, within } from './alerting-scene.ts'

const annotated = (annotations: Readonly<Record<string, string>>): KubernetesObject => {
  const object = alert('people', { eventSources: [{ kind: 'Kustomization', name: '*' }] })
  return { ...object, metadata: { ...object.metadata, annotations } }
}

const unit = (name: string): KubernetesObject => ({ ...app, metadata: { ...app.metadata, name, uid: name } })

const texts = ({ received }: Scene): readonly string[] =>
  received.map(({ body }) => (JSON.parse(body) as { message: string }).message)

const withPacing = (annotations: Readonly<Record<string, string>>, story: (scene: Scene) => Promise<void>) =>
  within(async scene => {
    await scene.create(provider('people', { type: 'generic', address: scene.url }))
    await scene.create(annotated(annotations))
    await story(scene)
  })

const minute = 60_000
const outage = (server: string, problem: string) => ({
  severity: 'error' as const,
  reason: 'ClusterUnreachable',
  message: describeOutage({ server, problem }),
})

test('only changes of state: a failure once, however often it is repeated, and the recovery', () =>
  withPacing({ 'notification.keelson.dev/only': 'StateChanges' }, async scene => {
    await scene.happens()
    assert.deepEqual(texts(scene), [], 'what was well before is no news')
    await scene.happens(failed)
    await scene.pass(10 * minute)
    await scene.happens({ ...failed, message: 'another failure' })
    await scene.happens({ severity: 'info', reason: 'Progressing', message: 'applying' })
    assert.deepEqual(texts(scene), [failed.message])
    await scene.happens()
    await scene.happens()
    assert.deepEqual(texts(scene), [failed.message, 'Reconciliation finished in 1s, next run in 10m0s'])
    await scene.pass(10 * minute)
    await scene.happens(failed)
    assert.equal(texts(scene).length, 3)
  }))

test('one message for a dead cluster with its units counted, one when it is back, and one for each other cause', () =>
  withPacing({ 'notification.keelson.dev/group-by': 'Cause' }, async scene => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    for (const name of names)
      await scene.happens(outage('https://10.0.0.1', name === 'a' ? 'connection refused' : 'i/o timeout'), unit(name))
    await scene.happens({ ...failed, message: 'health check failed' }, unit('other'))
    assert.deepEqual(texts(scene), [])
    await scene.pass(minute)
    assert.deepEqual(texts(scene).toSorted(), [
      'cluster https://10.0.0.1 is unreachable: connection refused\n(7 objects: Kustomization/default/a, Kustomization/default/b, Kustomization/default/c, Kustomization/default/d, Kustomization/default/e and 2 more)',
      'health check failed\n(1 object: Kustomization/default/other)',
    ])
    await scene.happens(outage('https://10.0.0.1', 'i/o timeout'), unit('late'))
    await scene.pass(10 * minute)
    assert.equal(texts(scene).length, 2, 'the cause has been told')
    for (const name of [...names, 'late']) await scene.happens(undefined, unit(name))
    await scene.pass(minute)
    assert.deepEqual(texts(scene).slice(2), [
      'recovered: 8 objects: Kustomization/default/a, Kustomization/default/b, Kustomization/default/c, Kustomization/default/d, Kustomization/default/e and 3 more\n(it was: cluster https://10.0.0.1 is unreachable: connection refused)',
    ])
  }))

test('what recovers before it is told is not told at all', () =>
  withPacing({ 'notification.keelson.dev/group-by': 'Cause' }, async scene => {
    await scene.happens(outage('https://10.0.0.1', 'i/o timeout'), unit('a'))
    await scene.happens(undefined, unit('a'))
    await scene.pass(5 * minute)
    assert.deepEqual(texts(scene), [])
    await scene.happens(outage('https://10.0.0.1', 'i/o timeout'), unit('a'))
    await scene.pass(5 * minute)
    assert.equal(texts(scene).length, 1)
  }))

test('a digest tells at its time of day what has failed and recovered since the last', () =>
  withPacing(
    { 'notification.keelson.dev/digest': '0 8 * * *', 'notification.keelson.dev/time-zone': 'Europe/Berlin' },
    async scene => {
      // It is midnight UTC, one o'clock in Berlin.
      await scene.happens(outage('https://10.0.0.1', 'i/o timeout'), unit('a'))
      await scene.happens(outage('https://10.0.0.1', 'i/o timeout'), unit('b'))
      await scene.happens(undefined, unit('b'))
      await scene.pass(6 * 60 * minute)
      assert.deepEqual(texts(scene), [])
      await scene.pass(61 * minute)
      assert.deepEqual(texts(scene), [
        'cluster https://10.0.0.1 is unreachable: i/o timeout\n(2 objects: Kustomization/default/a, Kustomization/default/b)\n\n' +
          'recovered: 1 object: Kustomization/default/b\n(it was: cluster https://10.0.0.1 is unreachable: i/o timeout)',
      ])
      const { involvedObject, severity } = JSON.parse(scene.received[0]!.body)
      assert.deepEqual([involvedObject.kind, involvedObject.name, severity], ['Alert', 'people', 'error'])
      await scene.pass(25 * 60 * minute)
      assert.equal(texts(scene).length, 1, 'no news, no digest')
    },
  ))

test('an annotation that can not be understood is an Event on the Alert, which sends as Flux then', () =>
  withPacing({ 'notification.keelson.dev/digest': 'every morning' }, async scene => {
    await scene.happens(failed)
    assert.deepEqual(texts(scene), [failed.message])
    const [complaint] = await scene.complaints()
    assert.match(
      complaint ?? '',
      /InvalidConfig: annotation notification\.keelson\.dev\/digest: expected exactly 5 fields/,
    )
  }))

const clusterNamed = (name: string, namespace = 'default'): KubernetesObject => ({
  apiVersion: 'fleet.keelson.dev/v1alpha1',
  kind: 'Cluster',
  metadata: { name, namespace, uid: `${namespace}/${name}` },
})

test('Clusters are sources by an annotation: all of a namespace, or those that it names', async () => {
  const toldOf = async (clusters: string): Promise<readonly string[]> => {
    let told: readonly string[] = []
    await withPacing({ 'notification.keelson.dev/clusters': clusters }, async scene => {
      await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'edge' } })
      for (const [name, namespace] of [
        ['prod', 'default'],
        ['test', 'default'],
        ['prod', 'edge'],
      ] as const)
        await scene.happens(outage(`https://${namespace}.${name}`, 'refused'), clusterNamed(name, namespace))
      await scene.happens(failed)
      told = texts(scene).map(text => /^cluster https:..(\S+) is/.exec(text)?.[1] ?? text.split('\n')[0]!)
    })
    return told
  }
  assert.deepEqual(await toldOf('*'), ['default.prod', 'default.test', 'health check failed'])
  assert.deepEqual(await toldOf('test, edge/prod'), ['default.test', 'edge.prod', 'health check failed'])
  assert.deepEqual(await toldOf('edge/*'), ['edge.prod', 'health check failed'])
  assert.deepEqual(await toldOf(''), ['health check failed'])
})

test('Rollouts are sources by an annotation', () =>
  withPacing({ 'notification.keelson.dev/rollouts': 'web' }, async scene => {
    const named = (kind: string, name: string): KubernetesObject => ({ ...clusterNamed(name), kind })
    for (const [kind, name] of [
      ['Rollout', 'web'],
      ['Rollout', 'other'],
      ['Cluster', 'web'],
    ] as const)
      await scene.happens({ severity: 'info', reason: 'StageRolling', message: `${kind} ${name}` }, named(kind, name))
    assert.deepEqual(texts(scene), ['Rollout web'])
  }))

test('a dead cluster and its units are one message', () =>
  withPacing(
    { 'notification.keelson.dev/clusters': '*', 'notification.keelson.dev/group-by': 'Cause' },
    async scene => {
      const cluster = clusterNamed('prod')
      await scene.happens(outage('https://10.0.0.1', 'no response in 10s'), cluster)
      for (const name of ['a', 'b']) await scene.happens(outage('https://10.0.0.1', 'no response in 10s'), unit(name))
      await scene.pass(minute)
      assert.deepEqual(texts(scene), [
        'cluster https://10.0.0.1 is unreachable: no response in 10s\n(3 objects: Cluster/default/prod, Kustomization/default/a, Kustomization/default/b)',
      ])
      await scene.happens({ severity: 'info', reason: 'ClusterReady', message: 'Kubernetes responds' }, cluster)
      for (const name of ['a', 'b']) await scene.happens(undefined, unit(name))
      await scene.pass(minute)
      assert.match(texts(scene)[1] ?? '', /^recovered: 3 objects/)
      assert.equal(texts(scene).length, 2)
    },
  ))

test('a credential that is about to expire and a control plane that is unhealthy are told once each, and do not hide an outage', () =>
  withPacing(
    { 'notification.keelson.dev/clusters': '*', 'notification.keelson.dev/only': 'StateChanges' },
    async scene => {
      const cluster = clusterNamed('prod')
      const soon = {
        severity: 'error' as const,
        reason: 'CredentialExpiresSoon',
        message: 'the token expires: replace it',
      }
      await scene.happens(soon, cluster)
      await scene.pass(10 * minute)
      await scene.happens(soon, cluster)
      const unhealthy = { severity: 'error' as const, reason: 'ControlPlaneUnhealthy', message: '/readyz fails: etcd' }
      await scene.happens(unhealthy, cluster)
      await scene.happens(outage('https://10.0.0.1', 'refused'), cluster)
      await scene.happens({ severity: 'info', reason: 'ControlPlaneHealthy', message: 'all checks pass' }, cluster)
      await scene.happens({ severity: 'info', reason: 'CredentialRenewed', message: 'the token is accepted' }, cluster)
      await scene.happens({ severity: 'info', reason: 'ClusterReady', message: 'Kubernetes responds' }, cluster)
      assert.deepEqual(texts(scene), [
        ...['the token expires: replace it', '/readyz fails: etcd', 'cluster https://10.0.0.1 is unreachable: refused'],
        ...['all checks pass', 'the token is accepted', 'Kubernetes responds'],
      ])
    },
  ))
