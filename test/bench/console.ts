/** How soon the console shows what matters, in a real Chromium before a hub with many units. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { consoleFolder } from '../../lib/compose/console-pages.ts'
import { bundledConsole, startBrowser, visit } from '../bed/browser.ts'
import { startServedHub } from '../hub/served-hub.ts'
import { fillFleet } from './fleet/objects.ts'
import { table } from './table.ts'

export const description = "the console's pages over 2,000 units: time to content, long tasks, filters, memory, size"

/** In milliseconds since the navigation began. */
interface Measured {
  readonly paint: number
  readonly content: number
  readonly longest: number
  readonly shift: number
}

/** Runs in the page before its own scripts: sentences that count something are what a person waits for. */
const observer = `
  window.measured = { content: 0, longest: 0, shift: 0 }
  new PerformanceObserver(list => {
    for (const { duration } of list.getEntries()) measured.longest = Math.max(measured.longest, duration)
  }).observe({ type: 'longtask', buffered: true })
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) measured.shift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
  new MutationObserver(() => {
    if (!measured.content && /\\d/.test(document.querySelector('main h1')?.textContent ?? ''))
      requestAnimationFrame(() => setTimeout(() => (measured.content ||= performance.now())))
  }).observe(document, { childList: true, subtree: true, characterData: true })
`

/** Resolves in the page when it says what matters. Evaluated once, as the policy of the page forbids to evaluate it again and again there. */
const untilContent = `new Promise(resolve => {
  const timer = setInterval(() => {
    if (measured.content === 0) return
    clearInterval(timer)
    resolve()
  }, 20)
})`

/** Types a name into the filter of the units, and resolves to the milliseconds until its row is the only one. */
const filtering = (name: string): string => `new Promise((resolve, reject) => {
  const input = document.querySelector('main input[type=search]')
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, ${JSON.stringify(name)})
  const begun = performance.now()
  const isThere = () => {
    const rows = document.querySelectorAll('tbody tr')
    return rows.length === 1 && rows[0].textContent.includes(${JSON.stringify(name)})
  }
  const observer = new MutationObserver(() => {
    if (!isThere()) return
    observer.disconnect()
    resolve(performance.now() - begun)
  })
  observer.observe(document.querySelector('main'), { childList: true, subtree: true, characterData: true })
  setTimeout(() => reject(new Error('the row does not come')), 60_000)
  input.dispatchEvent(new Event('input', { bubbles: true }))
})`

const megabytes = (bytes: number): number => Math.round(bytes / 1e6)

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      units: { type: 'string', default: '2000' },
      clusters: { type: 'string', default: '48' },
      rounds: { type: 'string', default: '5' },
    },
  })
  const [units, clusters, rounds] = [values.units, values.clusters, values.rounds].map(Number) as [
    number,
    number,
    number,
  ]
  await bundledConsole()
  await using served = await startServedHub()
  await using chromium = await startBrowser()
  await fillFleet(served.hub, units, clusters)
  const link = await served.loginUrl()
  assert.ok(link)
  const console_ = new URL(link).origin
  const { page } = await visit(chromium.browser, { console: console_, kubeconfig: served.kubeconfig }, { link })
  await page.addInitScript(observer)
  const measure = async (path: string, heading: RegExp): Promise<Measured> => {
    await page.goto(`${console_}${path}`)
    await page.evaluate(untilContent)
    const text = (await page.locator('main h1').textContent()) ?? ''
    assert.match(text, heading)
    await page.waitForTimeout(500)
    return page.evaluate<Measured>(`({
      ...measured,
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    })`)
  }
  const count = new Intl.NumberFormat('en').format(units)
  const pages = [
    ['/', new RegExp(`of ${count} units`)],
    ['/units', new RegExp(`^${count} units`)],
    ['/clusters', /\d/],
    ['/sources', /^1 source/],
  ] as const
  const rows: (readonly (string | number)[])[] = []
  for (const [path, heading] of pages) {
    const found: Measured[] = []
    for (let round = 0; round <= rounds; round++) {
      const measured = await measure(path, heading)
      if (round > 0) found.push(measured)
    }
    const by = (name: keyof Measured) => found.map(measured => measured[name]).toSorted((a, b) => a - b)
    const median = (name: keyof Measured) => Math.round(by(name)[Math.floor(rounds / 2)]!)
    rows.push([
      ...[path, median('paint'), median('content'), Math.round(by('content').at(-1)!)],
      ...[Math.round(by('longest').at(-1)!), Number(by('shift').at(-1)!.toFixed(3))],
    ])
  }
  const filters: number[] = []
  await page.goto(`${console_}/units`)
  await page.evaluate(untilContent)
  for (let round = 0; round <= rounds; round++) {
    const name = `u${units - 1 - round}`
    const took = await page.evaluate<number>(filtering(name))
    assert.equal(await page.locator('tbody tr').count(), 1, name)
    if (round > 0) filters.push(Math.round(took))
  }
  const heap = await page.evaluate<number>('performance.memory.usedJSHeapSize')
  const header = ['page', 'first paint, ms', 'content, median', 'worst', 'longest task, ms', 'layout shift']
  console.log(`\n${count} units on ${clusters} clusters\n`)
  console.log(table(header, rows))
  const sorted = filters.toSorted((a, b) => a - b)
  console.log(
    `\na filter by name: ${sorted[Math.floor(rounds / 2)]} ms until its row is there, at worst ${sorted.at(-1)} ms`,
  )
  console.log(`memory: page ${megabytes(heap)} MB, hub ${megabytes(process.memoryUsage().rss)} MB with this bench`)
  const size = (end: string) =>
    readdirSync(consoleFolder)
      .filter(name => name.endsWith(end))
      .reduce((sum, name) => sum + gzipSync(readFileSync(join(consoleFolder, name)), { level: 9 }).length, 0)
  console.log(`\nscript ${size('.js')} bytes, style ${size('.css')} bytes, compressed`)
}
