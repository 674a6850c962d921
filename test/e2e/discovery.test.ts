/** Clusters that a hub finds by itself. It looks when it starts, and then every 5 minutes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cluster } from '../../lib/foundations/kinds/cluster.ts'
import { cluster } from '../bed/cluster.ts'
import { arnOf, eksServer } from '../bed/eks-server.ts'
import { eventually } from '../bed/eventually.ts'
import { kubeconfigSecret } from '../bed/fleet-objects.ts'
import { type Hub, hub } from '../bed/hub.ts'
import { endWithTest } from '../bed/teardown.ts'

const namespace = (name: string, annotations: Readonly<Record<string, string>> = {}): string =>
  `\napiVersion: v1\nkind: Namespace\nmetadata: ${JSON.stringify({ name, annotations })}\n---`

const restart = async (on: Hub): Promise<void> => {
  await on.stop()
  await on.start()
}

/** Name, environment and vanished mark of all Clusters. */
const clusters = async (on: Hub) =>
  (await on.get<{ readonly items: readonly Cluster[] }>('clusters', '-A')).items
    .map(({ metadata: { namespace, name, labels = {} } }) => [
      `${namespace}/${name}`,
      labels.env,
      labels['keelson.dev/vanished'],
    ])
    .sort()

const conditionsOf = ({ status }: Cluster): Readonly<Record<string, string>> =>
  Object.fromEntries((status?.conditions ?? []).map(({ type, status }) => [type, status]))

test('CL-008 a kubeconfig Secret of Cluster API becomes a Cluster that responds, where its Namespace asks for it; without the Secret it is marked', async () => {
  const [target, on] = await Promise.all([cluster(), hub()])
  const places = ['capi', 'other']
  const secrets = places.map(place => kubeconfigSecret('prod-kubeconfig', target, place)).join('')
  await on.apply(namespace('capi', { 'keelson.dev/discover-clusters': 'cluster-api' }) + namespace('other') + secrets)
  const labels = ['cluster.x-k8s.io/cluster-name=prod', 'env=prod']
  const mark = (place: string) => on.kubectl('label', 'secret', 'prod-kubeconfig', '-n', place, ...labels)
  for (const place of places) await mark(place)
  await restart(on)
  await eventually(async () => {
    const found = await on.get<Cluster>('cluster', 'prod', '-n', 'capi')
    assert.deepEqual(conditionsOf(found), {
      ...{ Ready: 'True', Reachable: 'True', CredentialsValid: 'True', ControlPlaneHealthy: 'True' },
    })
    assert.equal(found.status?.server, target.server)
  })
  assert.deepEqual(await clusters(on), [['capi/prod', 'prod', undefined]])

  await on.kubectl('delete', 'secret', 'prod-kubeconfig', '-n', 'capi')
  await restart(on)
  await eventually(async () => assert.deepEqual(await clusters(on), [['capi/prod', 'prod', 'true']]))
  await on.apply(kubeconfigSecret('prod-kubeconfig', target, 'capi'))
  await mark('capi')
  await restart(on)
  await eventually(async () => assert.deepEqual(await clusters(on), [['capi/prod', 'prod', undefined]]))
})

test('CL-008 EKS clusters of two accounts become Clusters with their tags; one that is gone is marked, but not where the list is refused', async () => {
  const aws = endWithTest(await eksServer())
  const [here, there, roleArn] = ['eu-west-1', 'us-east-1', 'arn:aws:iam::222222222222:role/discovery']
  const [env, account] = [{ env: 'prod' }, '111111111111']
  aws.roles.set(roleArn, 'external')
  aws.clusters = [
    { name: 'prod', region: here, account, tags: env },
    { name: 'lab', region: here, account, tags: { env: 'lab' } },
    { name: 'prod', region: there, account: '222222222222', tags: env },
  ]
  const credentials = { AWS_ACCESS_KEY_ID: 'OWN', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: here }
  const on = await hub({ env: { ...credentials, AWS_ENDPOINT_URL: aws.url } })
  const accounts = [
    { regions: [here], tags: env },
    { regions: [there], roleArn, externalId: 'external' },
  ]
  await on.apply(namespace('eks', { 'keelson.dev/discover-eks': JSON.stringify(accounts) }))
  await restart(on)
  const [own, other] = [`prod-${here}-111111111111`, `prod-${there}-222222222222`]
  const become = (ownMark?: string) =>
    eventually(async () =>
      assert.deepEqual(await clusters(on), [
        [`eks/${own}`, 'prod', ownMark],
        [`eks/${other}`, 'prod', undefined],
      ]),
    )
  await become()
  const { data } = await on.get<{ readonly data: Readonly<Record<string, string>> }>('configmap', own, '-n', 'eks')
  assert.deepEqual([data.provider, data.cluster], ['aws', arnOf(aws.clusters[0]!)])

  aws.clusters = []
  aws.denied = 'ROLE222222222222'
  await restart(on)
  await become('true')
  assert.match(on.said(), /failed to list EKS clusters.*us-east-1/)
})
