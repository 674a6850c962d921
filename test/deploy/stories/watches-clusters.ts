import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Cluster } from '../../../lib/foundations/kinds/cluster.ts'
import type { Delivery } from '../../../lib/foundations/kinds/delivery.ts'
import { eventually } from '../../bed/eventually.ts'
import { kubeconfigFor, kubeconfigSecret } from '../../bed/fleet-objects.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { configMap, readyOf } from '../fleet.ts'

const clusterOf = (name: string): string => `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: ${name}, namespace: default}
spec: {interval: 1m, timeout: 5s, kubeConfig: {secretRef: {name: ${name}}}}
---`

/** Clusters as objects, and what calls of webhooks leave on record, by the functions that are deployed. */
export function watchesClusters({ admin, target, git, callWebhook }: DeployedHub) {
  const keelson = (...args: string[]) => admin.keelson(...args, '--kubeconfig', admin.kubeconfig)

  describe('watches clusters', inOrder, () => {
    test('CL-009 a Cluster is probed, and one that does not respond opens its breaker', async () => {
      const dark = kubeconfigFor('https://127.0.0.1:9', 'dark')
      await admin.apply(kubeconfigSecret('lit', target) + clusterOf('lit') + dark + clusterOf('dark'))
      const lit = await eventually(async () => {
        const found = await admin.get<Cluster>('cluster', 'lit')
        assert.equal(readyOf(found), 'True ClusterReady')
        return found
      }, patient)
      assert.equal(lit.status?.server, target.server)
      assert.ok(lit.status?.apiGroups?.includes('apps'))
      await eventually(async () => {
        const found = await admin.get<Cluster>('cluster', 'dark')
        assert.deepEqual([readyOf(found), found.status?.breaker?.state], ['False ClusterUnreachable', 'Open'])
      }, patient)
      const shown = await keelson('clusters', '-n', 'default')
      assert.match(shown, /^dark +False /m)
    })

    test('a call of a webhook is on record, with what it set off, and is delivered again', async () => {
      const triggered = async (): Promise<readonly Delivery[]> =>
        (await admin.get<{ items: readonly Delivery[] }>('deliveries', '--field-selector', 'result=Triggered')).items
      const before = new Set((await triggered()).map(({ metadata }) => metadata.name))
      const later = async () => (await triggered()).filter(({ metadata }) => !before.has(metadata.name))
      const commit = await git.push({ 'apps/delivered.yaml': configMap('delivered', 'one') })
      assert.equal(await callWebhook(commit, 'not-the-secret'), 400)
      assert.equal(await callWebhook(commit), 200)
      const delivery = await eventually(async () => {
        const [found] = await later()
        assert.deepEqual(
          found?.objects?.map(({ name, ready, revision }) => [name, ready, revision]),
          [['fleet', true, `main@sha1:${commit}`]],
        )
        return found!
      }, patient)
      const { items } = await admin.get<{ items: readonly Delivery[] }>(
        'deliveries',
        '--field-selector',
        'result=Refused',
      )
      assert.match(items[0]?.verification.message ?? '', /signature/)
      assert.match(await keelson('deliveries', '-n', 'default'), /github +push/)
      await keelson('redeliver', delivery.metadata.name, '-n', 'default')
      await eventually(
        async () => assert.ok((await later()).some(({ redelivers }) => redelivers === delivery.metadata.name)),
        patient,
      )
      const all = await admin.kubectl('get', 'deliveries', '-o', 'yaml')
      assert.equal(all.includes('a-shared-secret'), false)
    })
  })
}
