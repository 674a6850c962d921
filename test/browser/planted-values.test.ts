/** Values of Secrets planted at a real hub and a real cluster: no page of the console has one, and no response that a page asks for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Response } from 'playwright-core'
import { browser, bundledConsole, loaded, visit } from '../bed/browser.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret, pushReceiver } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { postPush } from '../bed/webhook-burst.ts'
import { kustomization } from './scene.ts'

const planted = {
  built: 'planted-in-a-built-secret',
  builtLater: 'planted-in-its-next-version',
  variable: 'planted-in-a-variable',
  values: 'planted-in-values-of-a-chart',
  receiver: 'planted-as-token-of-a-receiver',
  note: 'planted-in-the-body-of-a-webhook',
}

const secret = (name: string, key: string, value: string): string =>
  `\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: default}\nstringData: {"${key}": "${value}"}\n---`

const objects = `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: prod, namespace: default}
spec: {interval: 1m, kubeConfig: {secretRef: {name: prod}}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: failing, namespace: default}
spec:
  interval: 1h
  chart: {spec: {chart: ./chart, interval: 1h, reconcileStrategy: Revision, sourceRef: {kind: GitRepository, name: fleet}}}
  kubeConfig: {secretRef: {name: prod}}
  valuesFrom: [{kind: Secret, name: values, valuesKey: password, targetPath: password}]
---`

const files = {
  'good/login.yaml': secret('login', 'password', planted.built),
  // The cluster refuses this, and quotes it.
  'refused/label.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: label, namespace: default, labels: {wrong: "${variable} is no label"}}\n',
  'chart/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 1.0.0\n',
  'chart/values.yaml': 'password: none\n',
  'chart/templates/config.yaml': '{{ fail (printf "no such user: %s" .Values.password) }}\n',
}

/** Texts of all responses of a page, by their addresses; those of a watch as well, when it has ended. */
const heardBy = (page: Page) => {
  const responses: Promise<readonly [string, string]>[] = []
  page.on('response', (response: Response) => {
    const text = response.text().catch(() => '')
    responses.push(text.then(text => [new URL(response.url()).pathname, text] as const))
  })
  return () => Promise.all(responses)
}

test('UI-05 no page of the console has a value of a Secret, and no response to it', async () => {
  await bundledConsole()
  const [chromium, target, repo, on] = await Promise.all([browser(), cluster(), gitRepo(files), hub()])
  await on.apply(
    kubeconfigSecret('prod', target) +
      secret('variables', 'variable', planted.variable) +
      secret('values', 'password', planted.values) +
      fleetRepository(repo) +
      pushReceiver('{kind: GitRepository, name: fleet}', planted.receiver) +
      objects +
      kustomization('good', './good', { namespace: 'default' }) +
      kustomization('refused', './refused', {
        namespace: 'default',
        more: '  postBuild: {substituteFrom: [{kind: Secret, name: variables}]}\n',
      }),
  )
  const failed = ['kustomization/refused', 'helmrelease/failing']
  await on.kubectl('wait', 'kustomization/good', '--for=condition=Ready', '--timeout=60s')
  for (const unit of failed) await on.kubectl('wait', unit, '--for=condition=Ready=False', '--timeout=60s')
  await on.kubectl('wait', 'receiver/github', '--for=condition=Ready', '--timeout=60s')
  await repo.push({ 'good/login.yaml': secret('login', 'password', planted.builtLater) })
  const { status } = await on.get<{ status: { webhookPath: string } }>('receiver', 'github')
  const push = { ref: 'refs/heads/main', repository: { clone_url: repo.url }, note: planted.note }
  assert.equal(await postPush(`${on.edge}${status.webhookPath}`, push, planted.receiver), 200)
  const runs = await eventually(async () => {
    const names = await on.kubectl('get', 'runs', '-o', 'jsonpath={.items[*].metadata.name}')
    const text = await on.kubectl('get', 'runs', '-o', 'json')
    assert.match(text, /"path": "data.password"/)
    return names.split(' ')
  })

  const { page, context, faults } = await visit(chromium, on)
  const heard = heardBy(page)
  const shown: Record<string, string> = {}
  const look = async (path: string): Promise<void> => {
    await page.goto(on.console + path)
    await loaded(page)
    shown[path] = await page.content()
  }
  for (const path of ['', 'units', 'sources', 'clusters', 'plans', 'rollouts', 'runs', 'receivers', 'search?q=login'])
    await look(`/${path}`)
  const units = ['Kustomization/default/good', 'Kustomization/default/refused', 'HelmRelease/default/failing']
  for (const unit of units)
    for (const tab of ['', '/changes', '/plans', '/diff', '/events', '/yaml']) await look(`/objects/${unit}${tab}`)
  for (const object of ['Receiver/default/github', 'GitRepository/default/fleet', 'Cluster/default/prod'])
    for (const tab of ['', '/events', '/yaml']) await look(`/objects/${object}${tab}`)
  await look('/objects/Receiver/default/github/deliveries')
  for (const name of runs) await look(`/runs/default/${name}`)
  await look('/objects/Kustomization/default/good/objects')
  await page.getByRole('link', { name: 'login', exact: true }).click()
  await page.getByText('password: ').waitFor()
  shown.live = await page.content()
  await context.close()

  // The test would see a value: each of these has what it is about.
  const textOf = (path: string) => (shown[path] ?? '').replace(/<[^>]*>/g, '')
  for (const path of ['/', '/objects/Kustomization/default/refused', '/objects/Kustomization/default/refused/events'])
    assert.match(textOf(path), /\*\*\* is no label/, path)
  for (const path of ['/', '/objects/HelmRelease/default/failing'])
    assert.match(textOf(path), /no such user: \*\*\*/, path)
  assert.match(textOf('live'), /password: ['"]?\*\*\*/)
  assert.match(textOf('/objects/Receiver/default/github/deliveries'), /GitHub|github|push/)
  const responses = await heard()
  for (const path of ['/fleet/summary', '/fleet/units'])
    assert.ok(
      responses.some(([pathname, text]) => pathname === path && text.length > 0),
      `no page asked for ${path}`,
    )
  const values = Object.entries(planted).flatMap(([where, value]) => [
    [where, value],
    [`${where}, encoded`, Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -1)],
  ])
  const found = [...Object.entries(shown), ...responses].flatMap(([place, text]) =>
    values.filter(([, value]) => text.includes(value!)).map(([where]) => `${place}: ${where}`),
  )
  assert.deepEqual(found, [])
  assert.deepEqual(faults, [])
})
