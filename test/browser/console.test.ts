/** The console in a real Chromium, before a real hub with a real cluster and one that does not answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { loaded, loginLink, visit } from '../bed/browser.ts'
import { eventually } from '../bed/eventually.ts'
import { chromiumAndFleet, longName, tenant } from './scene.ts'
import { accessibilityFaults, overflow, screenshot } from './screenshots.ts'

const { chromium, on, target } = await chromiumAndFleet()

const unit = (name: string, namespace = 'apps', tab = ''): string =>
  `${on.console}/objects/Kustomization/${namespace}/${name}${tab && `/${tab}`}`

/** With pictures, every page is seen in every look; else these are enough, as each takes seconds. */
const isWhole = process.env.KEELSON_SCREENSHOTS !== undefined
const inEveryLook = new Set(['fleet', 'unit', 'units', 'changes'])

/** Nothing of what was planted has run. */
const isUntouched = (page: Page) => page.evaluate<boolean>('document.body.dataset.hit === undefined')

test('UI-03 find what is wrong: the first line counts, each cause is one row, and a row leads to why (UI-04)', async () => {
  const { page, faults } = await visit(chromium, on)
  const causes = page.getByRole('region', { name: 'What is wrong' }).getByRole('listitem')
  await eventually(async () => assert.equal(await causes.count(), 4, (await causes.allTextContents()).join('\n\n')))
  assert.match((await page.locator('h1').textContent()) ?? '', /^6 of 10 units are failing, for 4 reasons$/)
  const [dead = ''] = (await causes.allTextContents()).filter(text => text.includes('shop-07'))
  assert.match(dead, /Unreachable[\s\S]*shop-07[\s\S]*3 units/)
  await screenshot(page, 'fleet-light')
  await causes.getByRole('link', { name: 'payments-api' }).click()
  const why = page.getByRole('region', { name: 'Why' })
  await why.waitFor()
  assert.match(
    (await why.textContent()) ?? '',
    /Not ready for[\s\S]*Service "api" is invalid[\s\S]*payments\/service\.yaml/,
  )
  await screenshot(page, 'unit-light')
  await page.goBack()
  assert.equal(await causes.count(), 4, 'going back shows what was there')
  assert.deepEqual(faults, [])
})

test('UI-11 what a tenant or a repository writes stays text, on every page', async () => {
  const { page, faults } = await visit(chromium, on)
  const pages = [
    ...[on.console, `${on.console}/units`, `${on.console}/clusters`, `${on.console}/runs`],
    ...['', 'changes', 'events', 'yaml'].map(tab => unit(longName, 'apps', tab)),
    ...['', 'yaml'].map(tab => unit('ingress', 'apps', tab)),
  ]
  for (const address of pages) {
    await page.goto(address)
    await loaded(page)
    assert.ok(await isUntouched(page), address)
  }
  await page.goto(unit(longName))
  await page.getByText('<script>document.body').first().waitFor()
  assert.deepEqual(faults, [])
})

test('UI-10 axe finds nothing, and nothing is wider than the window: light, dark, and on a phone', async () => {
  const looks = [
    { name: 'light', scheme: 'light', width: 1360, height: 900 },
    { name: 'dark', scheme: 'dark', width: 1360, height: 900 },
    { name: 'phone', scheme: 'light', width: 390, height: 844 },
  ] as const
  const pages = {
    fleet: on.console,
    units: `${on.console}/units`,
    clusters: `${on.console}/clusters`,
    cluster: `${on.console}/objects/Cluster/apps/prod`,
    runs: `${on.console}/runs`,
    sources: `${on.console}/sources`,
    source: `${on.console}/objects/GitRepository/apps/fleet`,
    users: `${on.console}/objects/GitRepository/apps/fleet/users`,
    inputs: `${on.console}/objects/ResourceSet/apps/per-region/inputs`,
    receivers: `${on.console}/receivers`,
    deliveries: `${on.console}/objects/Receiver/apps/github/deliveries`,
    unit: unit('payments-api'),
    held: unit('tenant-blue', 'blue'),
    objects: unit('tenant-blue', 'blue', 'objects'),
    changes: unit('web-shop', 'apps', 'changes'),
    events: unit('payments-api', 'apps', 'events'),
    yaml: unit('ingress', 'apps', 'yaml'),
    long: unit(longName),
    missing: `${on.console}/nowhere`,
  }
  for (const { name: look, ...options } of looks) {
    const { context, page } = await visit(chromium, on, options)
    for (const [name, address] of Object.entries(pages)) {
      if (look !== 'light' && !isWhole && !inEveryLook.has(name)) continue
      await page.goto(address)
      if (name !== 'missing') await loaded(page)
      assert.deepEqual(await accessibilityFaults(page), [], `${name}, ${look}`)
      assert.equal(await overflow(page), 0, `${name}, ${look}`)
      await screenshot(page, `${name}-${look}`)
    }
    await context.close()
  }
})

test('UI-10 every page is reached by keys, and keeps its filters in the address', async () => {
  const { page } = await visit(chromium, on)
  await loaded(page)
  await page.keyboard.press('g')
  await page.keyboard.press('u')
  await page.waitForURL(`${on.console}/units`)
  await page.getByRole('link', { name: 'web-shop' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('web-shop')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${on.console}/units?q=web-shop`)
  await page.getByRole('heading', { name: '1 unit', exact: true }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(unit('web-shop'))
  await page.goto(`${on.console}/units?state=suspended`)
  await page.getByRole('link', { name: 'ingress' }).waitFor()
  assert.equal(await page.locator('tbody tr').count(), 1)
})

test('UI-06 suspends with a reason, and resumes: shown at once, and beside who did it', async () => {
  const { page } = await visit(chromium, on)
  await page.goto(unit('web-shop'))
  await page.getByRole('button', { name: 'Suspend…' }).click()
  await page.getByLabel('Reason, for those who find it so').fill('we measure')
  await page.getByRole('button', { name: 'Suspend', exact: true }).click()
  await page.getByText('suspended by kubernetes-admin: we measure').first().waitFor()
  const { spec } = await on.get<{ spec: { suspend: boolean } }>('kustomization/web-shop', '-n', 'apps')
  assert.equal(spec.suspend, true)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('region', { name: 'Why' }).getByText('Ready for').waitFor()
})

test('UI-03 a change from elsewhere shows without a reload', async () => {
  const { page } = await visit(chromium, on)
  await page.goto(unit('ingress'))
  await page.getByText('Suspended', { exact: false }).first().waitFor()
  await on.kubectl('patch', 'kustomization/ingress', '-n', 'apps', '--type=merge', '-p', '{"spec":{"suspend":false}}')
  await page.getByRole('region', { name: 'Why' }).getByText('Ready for').waitFor()
})

test('UI-06 lets a guarded prune go: after a dialog that says what is deleted, exactly that', async () => {
  const { page } = await visit(chromium, on)
  await page.getByRole('link', { name: 'Review' }).click()
  await page.getByRole('button', { name: 'Allow deletions…' }).click()
  const dialog = page.getByRole('dialog')
  assert.match((await dialog.textContent()) ?? '', /11 deletions wait for approval[\s\S]*ConfigMap\/default\/item-11/)
  await screenshot(page, 'prune-dialog')
  await dialog.getByRole('button', { name: 'Delete these' }).click()
  await page.getByRole('region', { name: 'Why' }).getByText('Ready for').waitFor()
  const names = (await target.kubectl('get', 'configmaps', '-n', 'default', '-o', 'name')).split('\n')
  assert.deepEqual(
    names.filter(name => name.includes('item-')),
    ['configmap/item-0'],
  )
})

test('UI-02 a tenant sees only their own, and no button that they may not press', async () => {
  const { page, faults } = await visit(chromium, on, {
    kubeconfig: await tenant(on, { namespace: 'blue', role: 'view' }),
  })
  await page.goto(`${on.console}/units`)
  await page.getByRole('link', { name: 'tenant-blue' }).waitFor()
  assert.equal(await page.locator('tbody tr').count(), 1)
  assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /web-shop|payments/)
  await page.getByRole('link', { name: 'tenant-blue' }).click()
  await page.getByText('No actions: system:serviceaccount:blue:viewer may not patch').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Reconcile' }).count(), 0)
  for (const address of [unit('web-shop'), `${on.console}/units?namespace=apps`]) {
    await page.goto(address)
    await page
      .getByRole('alert')
      .or(page.getByText('There are no units here'))
      .or(page.getByText('No unit matches'))
      .first()
      .waitFor()
    assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /Applied revision/)
  }
  assert.deepEqual(faults, [])
})

test('UI-02 a link logs in once, and its code is in no address afterwards', async () => {
  const link = await loginLink(on.kubeconfig)
  const [first, second] = [await chromium.newPage(), await chromium.newPage()]
  await first.goto(link)
  await first.getByRole('navigation', { name: 'Pages' }).waitFor()
  assert.equal(first.url(), `${on.console}/`)
  await second.goto(link)
  await second.getByRole('alert').getByText('this link was used').waitFor()
  const stored = await first.evaluate<number>('localStorage.length + sessionStorage.length + document.cookie.length')
  assert.equal(stored, 0, 'nothing is where a script could read it')
  await first.getByRole('button', { name: 'Log out' }).click()
  await first.getByText('keelson console').waitFor()
})

test('the hub restarts under an open page: it says so, keeps what it shows, and goes on by itself', async () => {
  const { page } = await visit(chromium, on)
  await page.goto(`${on.console}/units`)
  await page.getByRole('link', { name: 'web-shop' }).waitFor()
  await on.stop()
  await page.getByText('The hub does not respond. This is how things were').waitFor()
  assert.equal(await page.getByRole('link', { name: 'web-shop' }).count(), 1)
  await on.start()
  await page.getByText('The hub does not respond').waitFor({ state: 'detached' })
  await on.kubectl('delete', 'kustomization/ingress', '-n', 'apps', '--wait=false')
  await page.getByRole('link', { name: 'ingress' }).waitFor({ state: 'detached' })
})
