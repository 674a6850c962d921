import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import type { Condition } from '../../lib/foundations/kinds/object.ts'
import type { Receiver } from '../../lib/foundations/kinds/receiver.ts'
import type { Cluster } from '../bed/cluster.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret, pushReceiver } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import type { Hub } from '../bed/hub.ts'
import { hub } from '../bed/hub.ts'

const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\ndata:\n  value: "${value}"\n`

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
`

const unreachableSecret = `
apiVersion: v1
kind: Secret
metadata: {name: nowhere, namespace: default}
stringData:
  value: |
    {apiVersion: v1, kind: Config, current-context: c, clusters: [{name: c, cluster: {server: 'https://127.0.0.1:9'}}],
     users: [{name: u, user: {token: x}}], contexts: [{name: c, context: {cluster: c, user: u}}]}
---`

interface Options {
  readonly interval?: string
  /** Of the Secret with the kubeconfig; the Kustomization's name unless given. */
  readonly secret?: string
  /** Further lines of the spec. */
  readonly more?: string
}

const kustomization = (
  name: string,
  path: string,
  { interval = '1h', secret = name, more = '' }: Options = {},
): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec:
  interval: ${interval}
  retryInterval: 2s
  prune: true
  path: ${path}
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: ${secret}}}
  ${more}
---`

const receiver = pushReceiver('{kind: GitRepository, name: fleet}', 'a-shared-secret')

/** What GitHub sends after a push, signed with the shared secret. */
const callWebhook = async ({ edge, get }: Hub, secret = 'a-shared-secret'): Promise<number> => {
  const { status } = await get<Receiver>('receiver', 'github')
  const body = JSON.stringify({ ref: 'refs/heads/main' })
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  const headers = { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': `sha256=${signature}` }
  const response = await fetch(`${edge}${status?.webhookPath}`, { method: 'POST', body, headers })
  return response.status
}

const ready = (object: { readonly status?: { readonly conditions?: readonly Condition[] } }): string => {
  const condition = object.status?.conditions?.find(({ type }) => type === 'Ready')
  return `${condition?.status} ${condition?.reason}`
}

const succeeded = 'True ReconciliationSucceeded'

const valueIn = async (target: Cluster, name: string): Promise<string | undefined> => {
  const found = await target.kubectl('get', 'configmap', name, '--ignore-not-found', '-o', 'jsonpath={.data.value}')
  return found || undefined
}

test('brings a git push to two real clusters, keeps them as git says, and lets a third one be gone', async t => {
  const [east, west] = await Promise.all([cluster({ name: 'east' }), cluster({ name: 'west' })])
  const fleet = await gitRepo({
    'east/settings.yaml': configMap('settings', 'one'),
    'east/extra.yaml': configMap('extra', 'one'),
    'west/settings.yaml': configMap('settings', 'one'),
    'west/extra.yaml': configMap('extra', 'one'),
  })
  const it = await hub()
  const kustomizationNamed = (name: string) => it.get<Kustomization>('kustomization', name)

  await t.test('applies each folder to its own cluster', async () => {
    const secrets = [kubeconfigSecret('east', east), kubeconfigSecret('west', west), unreachableSecret]
    const kustomizations = [
      kustomization('east', './east', { interval: '5s' }),
      kustomization('west', './west'),
      kustomization('nowhere', './west'),
    ]
    await it.apply([...secrets, fleetRepository(fleet), ...kustomizations, receiver].join('\n'))
    await eventually(async () => {
      assert.equal(ready(await kustomizationNamed('east')), succeeded)
      assert.equal(ready(await kustomizationNamed('west')), succeeded)
      assert.match(ready(await it.get<Receiver>('receiver', 'github')), /True/)
    })
    assert.deepEqual([await valueIn(east, 'settings'), await valueIn(west, 'settings')], ['one', 'one'])
  })

  await t.test('reports an unreachable cluster on its own Kustomization only', async () => {
    await eventually(async () => assert.equal(ready(await kustomizationNamed('nowhere')), 'False ClusterUnreachable'))
    const message = (await kustomizationNamed('nowhere')).status?.conditions?.find(
      ({ type }) => type === 'Ready',
    )?.message
    assert.match(message ?? '', /127\.0\.0\.1:9.*connection refused/)
  })

  await t.test('applies a push as soon as the signed webhook comes, and refuses a forged one', async () => {
    await fleet.push({
      'east/settings.yaml': configMap('settings', 'two'),
      'west/settings.yaml': configMap('settings', 'two'),
    })
    assert.equal(await callWebhook(it, 'not-the-secret'), 400)
    assert.equal(await callWebhook(it), 200)
    await eventually(async () =>
      assert.deepEqual([await valueIn(east, 'settings'), await valueIn(west, 'settings')], ['two', 'two']),
    )
  })

  await t.test('prunes what was removed from git', async () => {
    await fleet.push({ 'east/extra.yaml': null })
    assert.equal(await callWebhook(it), 200)
    await eventually(async () => assert.equal(await valueIn(east, 'extra'), undefined))
    assert.equal(await valueIn(west, 'extra'), 'one')
  })

  await t.test('corrects a manual edit at the next interval', async () => {
    await east.kubectl('patch', 'configmap', 'settings', '--type=merge', '-p', '{"data":{"value":"by hand"}}')
    await eventually(async () => assert.equal(await valueIn(east, 'settings'), 'two'))
  })

  await t.test('prunes nothing while a cluster is away, and catches up when it is back', async () => {
    await west.stop()
    await fleet.push({ 'west/extra.yaml': null, 'east/settings.yaml': configMap('settings', 'three') })
    assert.equal(await callWebhook(it), 200)
    await eventually(async () => {
      assert.equal(await valueIn(east, 'settings'), 'three')
      assert.equal(ready(await kustomizationNamed('west')), 'False ClusterUnreachable')
    })
    const { status } = await kustomizationNamed('west')
    assert.deepEqual(status?.inventory?.entries.map(({ id }) => id).sort(), [
      'default_extra__ConfigMap',
      'default_settings__ConfigMap',
    ])
    await west.start()
    await eventually(async () => assert.equal(await valueIn(west, 'extra'), undefined))
    await eventually(async () => assert.equal(ready(await kustomizationNamed('west')), succeeded))
  })

  await t.test('acts as the ServiceAccount that is named, with its rights only', async () => {
    await it.apply(kustomization('tenant', './west', { secret: 'west', more: 'serviceAccountName: nobody' }))
    await eventually(async () => {
      const { status } = await kustomizationNamed('tenant')
      const message = status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? ''
      assert.match(message, /Forbidden.*User "system:serviceaccount:default:nobody" cannot/)
    })
  })

  await t.test('waits for a rollout, and is not ready before it is complete', async () => {
    await fleet.push({ 'rollout/deployment.yaml': deployment })
    assert.equal(await callWebhook(it), 200)
    await it.apply(kustomization('rollout', './rollout', { secret: 'west', more: 'wait: true' }))
    await eventually(async () => assert.equal(ready(await kustomizationNamed('rollout')), succeeded))
    assert.equal(await west.kubectl('get', 'deployment', 'web', '-o', 'jsonpath={.status.readyReplicas}'), '2')
    const healthy = (await kustomizationNamed('rollout')).status?.conditions?.find(({ type }) => type === 'Healthy')
    assert.equal(healthy?.status, 'True')
  })

  await t.test('removes its objects from the cluster when it is deleted', async () => {
    await it.kubectl('delete', 'kustomization', 'east', '--wait=true', '--timeout=5m')
    assert.equal(await valueIn(east, 'settings'), undefined)
  })
})
