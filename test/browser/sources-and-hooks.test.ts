/** Sources, inputs, webhooks, the actions on waiting units, and who did what, in a real Chromium before a real hub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loaded, visit } from '../bed/browser.ts'
import { eventually } from '../bed/eventually.ts'
import { postPush } from '../bed/webhook-burst.ts'
import { chromiumAndFleet, script, tenant } from './scene.ts'
import { screenshot } from './screenshots.ts'

const { chromium, on, repo } = await chromiumAndFleet()

const objectAt = (kind: string, name: string, tab = '', namespace = 'apps'): string =>
  `${on.console}/objects/${kind}/${namespace}/${name}${tab && `/${tab}`}`

interface Annotated {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> }
}

const annotationsOf = async (object: string) => (await on.get<Annotated>(object, '-n', 'apps')).metadata.annotations

test('UI-03 sources are listed with their users, and a source leads to the units that need it', async () => {
  const { page, faults } = await visit(chromium, on)
  await loaded(page)
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.getByRole('heading', { name: '3 sources' }).waitFor()
  const row = page.getByRole('row').filter({ hasText: 'GitRepository in apps' })
  assert.match((await row.textContent()) ?? '', /Ready[\s\S]*fleet[\s\S]*main@[0-9a-f]{7}8/)
  await row.getByRole('link', { name: '8', exact: true }).click()
  await page.getByRole('heading', { name: '8 units' }).waitFor()
  await page.getByRole('link', { name: 'web-shop' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'tenant-blue' }).count(), 0, 'the other source of that name')
  await page.goto(`${on.console}/units?source=GitRepository/blue/fleet`)
  await page.getByRole('link', { name: 'tenant-blue' }).waitFor()
  await page.getByRole('link', { name: 'from GitRepository/blue/fleet' }).click()
  await page.getByRole('link', { name: 'web-shop' }).waitFor()
  assert.deepEqual(faults, [])
})

test('UI-03 a ResourceSet shows what its templates are given, by itself and by each provider', async () => {
  const { page, faults } = await visit(chromium, on)
  await page.goto(`${on.console}/units?kind=ResourceSet`)
  await page.getByRole('link', { name: 'per-region' }).click()
  await page.getByRole('link', { name: 'Inputs' }).click()
  assert.match((await page.getByRole('region', { name: 'Its own inputs' }).textContent()) ?? '', /region[\s\S]*us-east/)
  const given = page.getByRole('region', { name: 'Inputs of regions' })
  await given.getByText('eu-west').waitFor()
  assert.ok((await given.textContent())?.includes(script), 'as text')
  await given.getByRole('link', { name: 'regions' }).click()
  await page.getByRole('link', { name: 'Inputs' }).click()
  await page.getByText('Exported inputs').waitFor()
  assert.deepEqual(faults, [])
})

test('UI-03 the navigation counts, and clusters stand together by a label that the viewer chooses, each group with its clusters', async () => {
  const { page, faults } = await visit(chromium, on)
  const places = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
  await eventually(async () => {
    const texts = (await places.allTextContents()).slice(0, 4)
    assert.deepEqual(texts, ['Fleet', 'Units 10', 'Sources 3', 'Clusters 3'])
  })
  const clusters = page.getByRole('region', { name: 'Clusters' })
  await clusters.getByRole('combobox', { name: 'Group clusters by a label' }).selectOption('by region')
  await page.waitForURL(`${on.console}/?by=region`)
  await clusters.getByRole('heading', { name: 'eu-west 2 clusters, 8 units' }).waitFor()
  await clusters.getByRole('heading', { name: 'without region 1 cluster, 2 units' }).waitFor()
  await clusters.getByRole('link', { name: 'eu-west' }).first().click()
  await page.getByRole('heading', { name: '1 of 2 clusters can’t be reached' }).waitFor()
  assert.deepEqual(faults, [])
})

test('UI-06 a Receiver shows its deliveries, and delivers one again', async () => {
  const { page, faults } = await visit(chromium, on)
  await page.goto(`${on.console}/receivers`)
  await page.getByRole('link', { name: 'github' }).click()
  await page.getByRole('link', { name: 'Deliveries' }).click()
  await page.getByText('Nothing has called it yet').waitFor()
  const { status } = await on.get<{ status: { webhookPath: string } }>('receiver/github', '-n', 'apps')
  const after = (await repo.git('rev-parse', 'main')).trim()
  const push = { ref: 'refs/heads/main', after, repository: { clone_url: repo.url } }
  assert.equal(await postPush(`${on.edge}${status.webhookPath}`, push, 'abcdef'), 200)
  const calls = page.getByRole('region', { name: 'Deliveries' }).getByRole('listitem')
  await calls.getByText('Triggered').waitFor()
  await calls.getByRole('link', { name: 'GitRepository fleet' }).waitFor()
  await page.getByRole('button', { name: 'Redeliver' }).click()
  await page.getByText('repeated by').waitFor()
  assert.equal(await calls.count(), 2)
  assert.deepEqual(faults, [])
})

test('UI-06 reconciles with the source, whose request comes first', async () => {
  const { page } = await visit(chromium, on)
  await page.goto(objectAt('Kustomization', 'web-shop'))
  const before = (await annotationsOf('gitrepository/fleet'))['reconcile.fluxcd.io/requestedAt']
  await page.getByRole('button', { name: 'With source' }).click()
  await page.getByText('Requested web-shop and what it needs').waitFor()
  const source = (await annotationsOf('gitrepository/fleet'))['reconcile.fluxcd.io/requestedAt']
  assert.notEqual(source, before)
  assert.equal((await annotationsOf('kustomization/web-shop'))['reconcile.fluxcd.io/requestedAt'], source)
})

test('UI-06 overrides a window for a reason and a time, noted with who did it', async () => {
  const { page, faults } = await visit(chromium, on)
  await page.goto(objectAt('Kustomization', 'frozen'))
  await page.getByText('year end').first().waitFor()
  await page.getByRole('button', { name: 'Override window…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').selectOption('4')
  await dialog.getByLabel('Reason').fill('the fix of the outage')
  await dialog.getByRole('button', { name: 'Override' }).click()
  await page.getByRole('region', { name: 'Why' }).getByText('Ready for').waitFor()
  const annotations = await annotationsOf('kustomization/frozen')
  assert.match(annotations['keelson.dev/override-window'] ?? '', /^\S+Z the fix of the outage$/)
  const until = Date.parse(annotations['keelson.dev/override-window']!.split(' ')[0]!)
  assert.ok(Math.abs(until - Date.now() - 4 * 3_600_000) < 600_000)
  assert.equal(annotations['keelson.dev/overridden-by'], 'kubernetes-admin')
  assert.deepEqual(faults, [])
})

test('UI-06 who may only look has no button, and is told which right is missing', async () => {
  const { page } = await visit(chromium, on, { kubeconfig: await tenant(on, { namespace: 'apps', role: 'view' }) })
  await page.goto(objectAt('Receiver', 'github', 'deliveries'))
  await page.getByText('No redelivery: system:serviceaccount:apps:viewer may not create deliveries/redeliver').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Redeliver' }).count(), 0)
  await page.goto(objectAt('Kustomization', 'frozen'))
  await page.getByText('No actions: system:serviceaccount:apps:viewer may not patch').waitFor()
  for (const name of ['Reconcile', 'With source', 'Suspend…', 'Override window…'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
})

test('UI-03, UI-07 “what changed at 14:02”: who did what is a page, and leads to what the hub did at the same time', async () => {
  await on.kubectl(
    'annotate',
    '--overwrite',
    'kustomization/web-shop',
    '-n',
    'apps',
    `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
  )
  await assert.rejects(on.kubectl('delete', 'kustomization/web-shop', '-n', 'apps', '--as=jane'), /jane.*cannot delete/)
  const { page, faults } = await visit(chromium, on)
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.waitForURL(`${on.console}/audit`)
  await page.getByRole('textbox', { name: 'Object' }).fill('kustomizations/apps/web-shop')
  await page.keyboard.press('Enter')
  const requested = page
    .getByRole('row')
    .filter({ hasText: 'requested a reconciliation' })
    .filter({ hasText: 'kubectl' })
  await requested.first().waitFor()
  assert.match((await requested.first().textContent()) ?? '', /Done.*web-shop.*kubernetes-admin.*127\.0\.0\.1/)
  await page.getByRole('combobox', { name: 'Result' }).selectOption('Refused')
  const refused = page.locator('tbody tr')
  await refused.filter({ hasText: 'Forbidden' }).waitFor()
  await eventually(async () => assert.equal(await refused.count(), 1))
  assert.match((await refused.textContent()) ?? '', /as jane/)
  await page.getByRole('combobox', { name: 'Result' }).selectOption('Done')
  await requested.first().getByRole('link').first().click()
  await page.waitForURL(/\/moment\?at=/)
  const lanes = page.getByRole('region', { name: 'What happened' })
  const [request, run] = [/requested a reconciliation/, /Succeeded.*Request/].map(text =>
    lanes.getByRole('row').filter({ hasText: text }).first(),
  )
  await run!.waitFor()
  const times = await Promise.all([request!, run!].map(row => row.locator('time').getAttribute('datetime')))
  assert.ok(times[0]! <= times[1]!, `the request comes before its Run: ${times}`)
  await request!.evaluate(row => row.scrollIntoView({ block: 'center' }))
  await screenshot(page, 'what-happened')
  await run!.getByRole('link', { name: 'web-shop' }).click()
  await page.getByRole('link', { name: 'What else happened then' }).waitFor()
  assert.deepEqual(faults, [])
})
