/** 50,000 units on 500 clusters, as they stand in the store: what the browser gets of them. Nothing reconciles them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browser, bundledConsole, visit } from '../bed/browser.ts'
import { fillFleet } from '../bench/fleet/objects.ts'
import { servedHub } from '../hub/served-hub.ts'
import { overflow } from './screenshots.ts'

const [units, clusters] = [50_000, 500]

await bundledConsole()
const [chromium, served] = await Promise.all([browser(), servedHub()])
await fillFleet(served.hub, units, clusters)

/** A page with what it has received: bytes of each response, by its path. */
const opened = async () => {
  const link = (await served.loginUrl())!
  const console = new URL(link).origin
  const { page, faults } = await visit(chromium, { console, kubeconfig: served.kubeconfig }, { link })
  const received: { readonly path: string; readonly bytes: number }[] = []
  page.on('response', async response => {
    const { pathname, search } = new URL(response.url())
    if (pathname === '/console/watch') return
    const body = await response.body().catch(() => Buffer.alloc(0))
    received.push({ path: pathname + search, bytes: body.length })
  })
  return { page, faults, console, received }
}

test('UI-08 50,000 units: the hub counts and pages, and the browser never has more than a page of them', async t => {
  const { page, faults, console, received } = await opened()
  await page.goto(`${console}/units`)
  await page.getByRole('heading', { name: '50,000 units', exact: true }).waitFor()
  assert.equal(await page.locator('tbody tr').count(), 100)
  await page.getByText('1 to 100 of 50,000').waitFor()
  await page.getByRole('link', { name: 'Further' }).click()
  await page.getByText('101 to 200 of 50,000').waitFor()
  await page.reload()
  await page.getByText('101 to 200 of 50,000').waitFor()
  await page.getByRole('searchbox', { name: 'Filter by kind' }).fill('u49999')
  await page.getByRole('link', { name: 'u49999' }).waitFor()
  assert.equal(await page.locator('tbody tr').count(), 1)
  await page.goto(`${console}/units?cluster=Cluster/apps/c8&state=ready`)
  await page.getByRole('link', { name: 'on c8' }).waitFor()
  assert.equal(await page.locator('tbody tr').count(), 100)
  assert.equal(await overflow(page), 0)
  const largest = received.toSorted((a, b) => b.bytes - a.bytes)[0]
  t.diagnostic(`the largest response: ${largest?.bytes} bytes, ${largest?.path}`)
  const lists = received.filter(({ path }) =>
    /^\/apis\/[^?]*\/(kustomizations|helmreleases|resourcesets)(\?|$)/.test(path),
  )
  assert.deepEqual(lists, [], 'no page lists whole collections')
  assert.ok(
    received.every(({ bytes }) => bytes < 500_000),
    largest?.path,
  )
  assert.deepEqual(faults, [])
})

test('UI-03 of 50,000 units the first line says how many fail and for how many reasons, and a dead cluster is one row', async () => {
  const { page, console } = await opened()
  await page.goto(console)
  await page.getByRole('heading', { name: /^\d+ of 50,000 units are failing, for \d+ reasons$/ }).waitFor()
  const causes = page.getByRole('region', { name: 'What is wrong' }).getByRole('listitem')
  const dead = causes.filter({ hasText: 'Unreachable' })
  assert.match((await dead.textContent()) ?? '', /c0[\s\S]*100 units/)
  assert.ok((await causes.count()) <= 51)
})
