/** Undo and resume in a real Chromium before a real hub with a real cluster: which run is chosen from the history, by what it takes back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browser, bundledConsole, loaded, visit } from '../bed/browser.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { configMap, kustomization, script, tenant } from './scene.ts'
import { accessibilityFaults, looks, overflow, screenshot } from './screenshots.ts'

const deployment = (image: string, replicas: number): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'ghcr.io/acme/web:${image}'}]}
`

const chart = (version: string, data: string) => ({
  'chart/Chart.yaml': `apiVersion: v2\nname: redis\nversion: ${version}\n`,
  'chart/templates/map.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: redis}\ndata: {${data}}\n`,
})

const objects = (url: string): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: fleet, namespace: apps}
spec: {interval: 1h, url: '${url}', ref: {branch: main}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: redis, namespace: apps}
spec:
  interval: 1h
  targetNamespace: default
  storageNamespace: default
  kubeConfig: {secretRef: {name: prod}}
  chart: {spec: {chart: ./chart, interval: 1h, sourceRef: {kind: GitRepository, name: fleet}}}
---`

await bundledConsole()
const [chromium, target, repo, on] = await Promise.all([
  browser(),
  cluster(),
  gitRepo({ 'shop/web.yaml': deployment('4.2.0', 2), ...chart('24.1.0', 'maxmemory: 100mb') }),
  hub(),
])
await on.kubectl('create', 'namespace', 'apps')
await on.apply(kubeconfigSecret('prod', target, 'apps') + objects(repo.url) + kustomization('shop', './shop'))
const isReady = async (revision: RegExp) => {
  for (const [unit, path] of [
    ['kustomization/shop', '{.status.lastAppliedRevision}'],
    ['helmrelease/redis', '{.status.history[0].chartVersion}'],
  ] as const)
    await eventually(async () => {
      await on.kubectl('wait', unit, '-n', 'apps', '--for=condition=Ready', '--timeout=90s')
      assert.match(await on.kubectl('get', unit, '-n', 'apps', '-o', `jsonpath=${path}`), revision)
    })
}
await isReady(/./)
const sha = await repo.push({
  'shop/web.yaml': deployment('4.3.0', 5),
  'shop/flags.yaml': configMap('web-flags', 'default', script),
  ...chart('24.2.0', 'maxmemory: 200mb'),
})
await on.kubectl(
  ...['annotate', '--overwrite', 'gitrepository/fleet', '-n', 'apps'],
  `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
)
await isReady(new RegExp(`${sha}|24.2.0`))
await eventually(async () => {
  const runs = (await on.kubectl('get', 'runs', '-n', 'apps', '-o', 'name')).trim().split('\n')
  assert.equal(runs.length, 4)
})

const viewer = await tenant(on, { namespace: 'apps', role: 'view' })
const unitPage = (kind: string, name: string, tab = '') => `${on.console}/objects/${kind}/apps/${name}${tab}`
const replicas = () => target.kubectl('get', 'deployment', 'web', '-n', 'default', '-o', 'jsonpath={.spec.replicas}')
const maxmemory = () => target.kubectl('get', 'configmap', 'redis', '-n', 'default', '-o', 'jsonpath={.data.maxmemory}')

test('UI-06 who may not undo sees no button, and is told which right is missing', async () => {
  const { page, faults } = await visit(chromium, on, { kubeconfig: viewer })
  await page.goto(unitPage('Kustomization', 'shop'))
  await page.getByText('No actions: system:serviceaccount:apps:viewer may not patch kustomizations').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Undo…' }).count(), 0)
  await page.goto(unitPage('Kustomization', 'shop', '/changes'))
  await page.getByText('No undo: system:serviceaccount:apps:viewer may not patch kustomizations').waitFor()
  await page.getByRole('region', { name: 'Runs' }).getByRole('row').nth(2).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Return to this…' }).count(), 0)
  assert.deepEqual(faults, [])
})

test('UI-06 a unit returns to a run that is chosen from its history: the dialog shows what it takes back, and needs a reason', async () => {
  const { page, faults } = await visit(chromium, on)
  await page.goto(unitPage('Kustomization', 'shop'))
  await page.getByRole('link', { name: 'Undo…' }).click()
  await page.waitForURL(unitPage('Kustomization', 'shop', '/changes'))
  const rows = page.getByRole('region', { name: 'Runs' }).getByRole('row')
  const button = page.getByRole('button', { name: 'Return to this…' })
  await button.waitFor()
  assert.equal(await button.count(), 1, 'not to what is applied now')
  assert.equal(await rows.nth(2).getByRole('button').count(), 1, 'to the first run')
  await button.click()
  const dialog = page.getByRole('dialog')
  const taken = dialog.getByRole('region', { name: 'What it takes back' })
  assert.match((await taken.textContent()) ?? '', /web-flags[\s\S]*spec\.replicas2 5/)
  assert.deepEqual(await accessibilityFaults(page), [])
  const isWider = await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  assert.equal(isWider, false, 'the changes fit into the dialog')
  await screenshot(page, 'undo-dialog')
  await dialog.getByRole('button', { name: 'Return' }).click()
  await dialog.getByLabel('Reason, for those who find it undone').fill('errors at checkout')
  await dialog.getByRole('button', { name: 'Return' }).click()
  await eventually(async () => assert.equal(await replicas(), '2'))
  await page.goto(unitPage('Kustomization', 'shop'))
  const why = page.getByRole('region', { name: 'Why' })
  await why
    .getByText(/^kubernetes-admin has undone it \(errors at checkout\): revision main@sha1:\w+ is kept/)
    .waitFor()
  assert.doesNotMatch((await why.textContent()) ?? '', /keelson resume/)
  assert.equal(await page.evaluate('document.body.dataset.hit'), undefined)
  assert.deepEqual(faults, [])
})

test('UI-06 the page of a run leads back to it: a HelmRelease, by a rollback', async () => {
  const { page, faults } = await visit(chromium, on)
  await page.goto(unitPage('HelmRelease', 'redis', '/changes'))
  const rows = page.getByRole('region', { name: 'Runs' }).getByRole('row')
  await rows.nth(2).getByRole('link').click()
  await page.getByRole('heading', { name: /^Run of redis/ }).waitFor()
  await page.getByRole('button', { name: 'Return to this…' }).click()
  await page.getByLabel('Reason, for those who find it undone').fill('it swaps')
  await page.getByRole('dialog').getByRole('button', { name: 'Return' }).click()
  await eventually(async () => assert.equal(await maxmemory(), '100mb'))
  await page.goto(unitPage('HelmRelease', 'redis'))
  await page
    .getByRole('region', { name: 'Why' })
    .getByText(/has undone it \(it swaps\): chart redis@24\.1\.0/)
    .waitFor()
  assert.deepEqual(faults, [])
})

test('UI-10 what was undone shows in lists, on its page and in its history: axe finds nothing, and nothing is wider than the window', async () => {
  const pages = {
    'undone-units': `${on.console}/units?undone=true`,
    undone: unitPage('Kustomization', 'shop'),
    'undone-history': unitPage('Kustomization', 'shop', '/changes'),
  }
  for (const { name: look, ...options } of looks) {
    const { context, page } = await visit(chromium, on, options)
    for (const [name, address] of Object.entries(pages)) {
      await page.goto(address)
      await loaded(page)
      if (name === 'undone-units') await page.getByRole('heading', { name: '2 units' }).waitFor()
      const marks = page.getByRole('region', { name: 'Units' }).getByText('undone', { exact: true })
      if (name === 'undone-units') assert.equal(await marks.count(), 2, look)
      assert.deepEqual(await accessibilityFaults(page), [], `${name}, ${look}`)
      assert.equal(await overflow(page), 0, `${name}, ${look}`)
      await screenshot(page, `${name}-${look}`)
    }
    await context.close()
  }
})

test('UI-06 a unit that was undone is resumed: it says what is kept until then, and follows its source again', async () => {
  const { page, faults } = await visit(chromium, on)
  for (const [kind, name] of [
    ['Kustomization', 'shop'],
    ['HelmRelease', 'redis'],
  ] as const) {
    await page.goto(unitPage(kind, name))
    await page.getByRole('button', { name: 'Resume…' }).click()
    const dialog = page.getByRole('dialog')
    assert.match(
      (await dialog.textContent()) ?? '',
      /kubernetes-admin has undone it[\s\S]*what is newer is applied at once/,
    )
    await dialog.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Resume…' }).waitFor({ state: 'detached' })
  }
  await eventually(async () => assert.deepEqual([await replicas(), await maxmemory()], ['5', '200mb']))
  await on.kubectl('wait', 'kustomization/shop', '-n', 'apps', '--for=condition=Ready', '--timeout=60s')
  const events = await on.kubectl(
    'get',
    'events',
    '-n',
    'apps',
    '-o',
    'jsonpath={range .items[*]}{.reason}: {.message}{"\\n"}{end}',
  )
  assert.match(
    events,
    /UndoRequested: kubernetes-admin.* undid it, to keep the manifests sha256:\w+: errors at checkout/,
  )
  assert.match(events, /Resumed: kubernetes-admin.* resumed it after an undo/)
  assert.deepEqual(faults, [])
})
