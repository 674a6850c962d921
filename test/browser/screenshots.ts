import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** How each page is looked at. */
export const looks = [
  { name: 'light', scheme: 'light', width: 1360, height: 900 },
  { name: 'dark', scheme: 'dark', width: 1360, height: 900 },
  { name: 'phone', scheme: 'light', width: 390, height: 844 },
  // As browsers zoom a window of 1360 x 900: half the pixels of CSS, each twice as wide.
  { name: 'zoomed', scheme: 'light', width: 680, height: 450, scale: 2 },
] as const

/** Where pictures go: `KEELSON_SCREENSHOTS`, from where `npm run pictures` takes those of documents; nowhere unless given. */
const folder = process.env.KEELSON_SCREENSHOTS

export const screenshot = async (page: Page, name: string): Promise<void> => {
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

/** What axe finds wrong by WCAG 2.2 AA and its own best practices: each rule with the elements. */
export const accessibilityFaults = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)')
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

/** Pixels by which a page is wider than its window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
