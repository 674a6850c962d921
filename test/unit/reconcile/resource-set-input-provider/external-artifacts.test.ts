/** ExternalArtifacts as inputs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { Impersonation } from '../../../../lib/clusters/client/kubeconfig.ts'
import { author, onStage, providerRef } from '../resource-set/scene.ts'
import { conditions, exported, idOf } from './provider-scene.ts'

const artifact = (name: string, labels: object, revision?: string) => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'ExternalArtifact',
  metadata: { name, namespace: 'default', labels },
  spec: {},
  ...(revision && { revision }),
})

test('RS-142 ExternalArtifacts are exported with revision and labels', () =>
  onStage({}, async scene => {
    for (const name of ['a', 'b', 'c']) await scene.create(artifact(name, { team: name === 'c' ? 'y' : 'x' }))
    const ref = { ...providerRef('a'), group: 'source.toolkit.fluxcd.io', kind: 'ExternalArtifact' }
    const status = {
      artifact: {
        digest: `sha256:${'0'.repeat(64)}`,
        lastUpdateTime: '2026-01-01T00:00:00Z',
        path: 'a',
        revision: 'sha256:abc',
        url: 'http://x/a',
      },
    }
    await scene.hub.patch(ref, { type: 'merge', patch: { status } }, { subresource: 'status', ...author })
    await scene.provide('p', {
      type: 'ExternalArtifact',
      selectors: [{ matchLabels: { team: 'x' } }, { name: 'c' }, { name: 'a' }],
    })
    assert.deepEqual(await exported(scene), [
      { team: 'x', id: idOf('default/a'), name: 'a', namespace: 'default', revision: 'sha256:abc' },
      { team: 'x', id: idOf('default/b'), name: 'b', namespace: 'default' },
      { team: 'y', id: idOf('default/c'), name: 'c', namespace: 'default' },
    ])
  }))

test('RS-142 ExternalArtifacts of other namespaces are selected as the account that acts; refusals fail, so that nothing is collected', () => {
  const seenBy: (string | undefined)[] = []
  const cluster = (hub: ClusterClient, impersonate?: Impersonation): ClusterClient => ({
    ...hub,
    list: async (query, options) => {
      seenBy.push(impersonate?.user)
      if (impersonate?.user.endsWith(':stranger')) throw new ClusterError('forbidden', 'stranger may not list')
      return hub.list(query, options)
    },
  })
  return onStage({ cluster, providerSettings: { defaultServiceAccount: 'default' } }, async scene => {
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } })
    await scene.create(artifact('a', {}))
    await scene.create({ ...artifact('b', {}), metadata: { name: 'b', namespace: 'other' } })
    const names = async () => (await exported(scene))?.map(({ name }) => name)
    const type = 'ExternalArtifact'
    await scene.provide('p', { type, selectors: [{}] })
    assert.deepEqual([await names(), seenBy.splice(0)], [['a'], [undefined]])
    await scene.change(providerRef('p'), { spec: { selectors: [{ namespace: '*' }] } })
    assert.deepEqual([await names(), seenBy.splice(0)], [['a', 'b'], ['system:serviceaccount:default:default']])
    await scene.change(providerRef('p'), { spec: { serviceAccountName: 'stranger' } })
    assert.match((await conditions(scene)).join(), /ReconciliationFailed: .*stranger may not list/)
    assert.deepEqual(await names(), ['a', 'b'])
  })
})

test('ExternalArtifacts of other namespaces are out of reach where the operator forbids references to them', () =>
  onStage({ providerSettings: { noCrossNamespaceRefs: true } }, async scene => {
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } })
    await scene.create(artifact('a', {}))
    await scene.create({ ...artifact('b', {}), metadata: { name: 'b', namespace: 'other' } })
    await scene.provide('p', { type: 'ExternalArtifact', selectors: [{ namespace: 'default' }] })
    assert.deepEqual(
      (await exported(scene))?.map(({ name }) => name),
      ['a'],
    )
    for (const [selector, reference] of [
      [{ namespace: '*' }, '*/*'],
      [{ namespace: 'other', name: 'b' }, 'other/b'],
    ] as const) {
      await scene.change(providerRef('p'), { spec: { selectors: [selector] } })
      assert.match(
        (await conditions(scene))[0]!,
        new RegExp(
          `^Stalled=True AccessDenied: .*can't access 'ExternalArtifact/${reference.replaceAll('*', '\\*')}', cross-namespace references have been blocked$`,
        ),
      )
    }
  }))
