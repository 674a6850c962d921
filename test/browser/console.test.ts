/** The console in a real Chromium, before a real hub with a real cluster and one that does not answer. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { loaded, loginLink, visit } from '../bed/browser.ts'
import { eventually } from '../bed/eventually.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { chromiumAndFleet, isPlanted, longName, tenant } from './scene.ts'
import { accessibilityFaults, looks, overflow, screenshot } from './screenshots.ts'
import { seesOnlyTheirOwn, seesPermittedNamespaces } from './tenant-pages.ts'

const auditLog = join(endWithTest(disposableDir()).path, 'audit.log')
const { chromium, on, target } = await chromiumAndFleet(['--audit-log-path', auditLog])
/** Printed as it starts; what it says later displaces it. */
const [printed] = on.said().match(/http:\/\/127\.0\.0\.1:\d+\/login#\S+/) ?? []
const viewer = await tenant(on, { namespace: 'blue', role: 'view' })

const unit = (name: string, namespace = 'apps', tab = ''): string =>
  `${on.console}/objects/Kustomization/${namespace}/${name}${tab && `/${tab}`}`

/** With pictures, every page is seen in every look; else these are enough, as each takes seconds. */
const isWhole = process.env.KEELSON_SCREENSHOTS !== undefined
const inEveryLook = new Set(['fleet', 'unit', 'units', 'changes', 'audit', 'moment'])

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

test('UI-11 what a tenant or a repository writes stays text, on every page', async t => {
  if (!isPlanted) return t.skip('nothing is planted while pictures are taken')
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

test('UI-10 axe finds nothing, and nothing is wider than the window: light, dark, on a phone, and at 200 % zoom', async () => {
  const pages = {
    fleet: on.console,
    groups: `${on.console}/?by=region`,
    units: `${on.console}/units`,
    clusters: `${on.console}/clusters`,
    cluster: `${on.console}/objects/Cluster/apps/prod`,
    runs: `${on.console}/runs`,
    audit: `${on.console}/audit`,
    moment: `${on.console}/moment?at=${new Date().toISOString()}&minutes=30`,
    sources: `${on.console}/sources`,
    source: `${on.console}/objects/GitRepository/apps/fleet`,
    users: `${on.console}/objects/GitRepository/apps/fleet/users`,
    inputs: `${on.console}/objects/ResourceSet/apps/per-region/inputs`,
    receivers: `${on.console}/receivers`,
    search: `${on.console}/search?q=shop`,
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
      await loaded(page)
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
  await page.keyboard.press('?')
  assert.match((await page.getByRole('dialog').textContent()) ?? '', /gaAudit log/)
  assert.deepEqual(await accessibilityFaults(page), [])
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await page.keyboard.type('web-shop')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${on.console}/search?q=web-shop`)
  await page.getByRole('heading', { name: '1 match for “web-shop”' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(unit('web-shop'))
  await page.goto(`${on.console}/units?state=suspended`)
  await page.getByRole('link', { name: 'ingress' }).waitFor()
  assert.equal(await page.locator('tbody tr').count(), 1)
  await page.goto(`${on.console}/units?q=per-region`)
  await page.getByRole('link', { name: 'per-region' }).waitFor()
  await page.getByRole('textbox', { name: 'Label selector of clusters' }).fill('region=eu-west')
  await page.keyboard.press('Enter')
  await page.getByText('No unit matches').waitFor()
  await page.goto(`${on.console}/units?q=till&clusters=region%3Deu-west&age=%3C1h`)
  await page.getByRole('link', { name: 'till' }).waitFor()
  await page.getByRole('combobox', { name: 'Age of the state' }).selectOption('Unchanged for a week')
  await page.getByText('No unit matches').waitFor()
})

test('UI-03 one search finds units by name and revision, clusters, sources and receivers, of what one may list', async () => {
  const { page } = await visit(chromium, on)
  const groups = async (text: string): Promise<readonly (string | null)[]> => {
    await page.goto(`${on.console}/search?q=${encodeURIComponent(text)}`)
    await page.getByRole('heading', { name: /match(es)? for/ }).waitFor()
    return Promise.all((await page.locator('main section').all()).map(group => group.getAttribute('aria-label')))
  }
  assert.deepEqual(await groups('shop'), ['Units', 'Clusters'])
  assert.deepEqual(await groups('FLEET'), ['Sources'])
  assert.deepEqual(await groups('github'), ['Receivers'])
  const { status } = await on.get<{ status: { lastAppliedRevision: string } }>('kustomization/web-shop', '-n', 'apps')
  assert.deepEqual(await groups(status.lastAppliedRevision.slice(-8)), ['Units by revision'])
  await page.getByRole('link', { name: 'web-shop' }).click()
  await page.waitForURL(unit('web-shop'))
  assert.deepEqual(await groups('<img src=x onerror=alert(1)>'), [])
  await page.getByText('Nothing matches').waitFor()
  const theirs = await visit(chromium, on, { kubeconfig: viewer })
  await theirs.page.goto(`${on.console}/search?q=shop`)
  await theirs.page.getByText('Nothing matches').waitFor()
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

interface Audited {
  readonly verb: string
  readonly user: { readonly username: string }
  readonly objectRef?: { readonly name?: string }
  readonly requestURI: string
  readonly sourceIPs: readonly string[]
  readonly stageTimestamp: string
}

test('UI-07 each action is in the audit log: who, what, when and from where, as that of kubectl', async () => {
  const { page } = await visit(chromium, on)
  await page.goto(unit('web-shop'))
  await page.getByRole('button', { name: 'Reconcile', exact: true }).click()
  await page.getByText('Requested a reconciliation of web-shop').waitFor()
  const entry = await eventually(async () => {
    const lines = readFileSync(auditLog, 'utf8').trim().split('\n')
    const entries = lines.map(line => JSON.parse(line) as Audited)
    const found = entries.findLast(({ verb, objectRef }) => verb === 'patch' && objectRef?.name === 'web-shop')
    assert.ok(found)
    return found
  })
  assert.equal(entry.user.username, 'kubernetes-admin')
  assert.match(entry.requestURI, /\/kustomizations\/web-shop\?fieldManager=keelson-console$/)
  assert.deepEqual(entry.sourceIPs, ['127.0.0.1'])
  assert.ok(Date.now() - Date.parse(entry.stageTimestamp) < 3_600_000)
  assert.doesNotMatch(readFileSync(auditLog, 'utf8'), /keelson-session|x-keelson-csrf/)
})

test('UI-09 the address that a hub prints as it starts logs in without a form, and its port is on loopback alone', async t => {
  assert.ok(printed, on.said())
  const page = await (await chromium.newContext()).newPage()
  await page.goto(printed)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  const others = Object.values(networkInterfaces())
    .flatMap(found => found ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
  if (others.length === 0) t.diagnostic('this machine has no other address to try')
  for (const { address } of others) {
    const socket = connect(Number(new URL(on.console).port), address)
    const outcome = await new Promise(resolve => socket.once('connect', resolve).once('error', resolve))
    socket.destroy()
    assert.match(String(outcome), /ECONNREFUSED/, address)
  }
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

test('UI-02 a tenant sees only their own, and no button that they may not press', () =>
  seesOnlyTheirOwn({ chromium, on, viewer }))

test('UI-02 a tenant with roles in one namespace sees its runs and plans; with roles in several, they choose one', () =>
  seesPermittedNamespaces({ chromium, on, viewer }))

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

test('UI-01 the hub restarts under an open page: it says so, keeps what it shows, and goes on by itself', async () => {
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
