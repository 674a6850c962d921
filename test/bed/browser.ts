import { existsSync, readFileSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { parse } from 'yaml'
import { bundleConsole } from '../../infra/console-bundle.ts'
import { chromiumProgram } from './chromium.ts'
import { ending } from './command.ts'
import type { Hub } from './hub.ts'
import { program } from './keelson-program.ts'
import { endWithTest } from './teardown.ts'

/** A real Chromium, until the test ends. */
export const browser = async (): Promise<Browser> => endWithTest(await startBrowser()).browser

/** The same, which the caller disposes of, for use outside of tests. */
export const startBrowser = async (): Promise<AsyncDisposable & { readonly browser: Browser }> => {
  const { path, env } = await chromiumProgram()
  const running = await chromium.launch({
    executablePath: path,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    env: { ...(process.env as Record<string, string>), ...env },
  })
  return { browser: running, [Symbol.asyncDispose]: () => running.close() }
}

/** Bundles the console into the clone, where hubs find it: call it before a hub starts. */
export const bundledConsole = async (): Promise<void> => {
  const folder = await bundleConsole()
  if (!existsSync(`${folder}/index.html`)) throw new Error(`the console was not bundled to ${folder}`)
}

export interface PageLook {
  readonly scheme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  /** Pixels of the screen for each of CSS. */
  readonly scale?: number
}

/** A browser profile of its own, whose page has logged in by a link, and in which nothing may go wrong in the console of the browser. */
export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors of scripts, violations of the policy and requests to elsewhere. */
  readonly faults: readonly string[]
}

/** A link for whoever a kubeconfig is, by `keelson console`. */
export const loginLink = async (kubeconfig: string): Promise<string> => {
  const { stdout, stderr, exitCode } = await ending(process.execPath, [
    ...[program, 'console', '--no-browser', '--kubeconfig', kubeconfig],
  ])
  if (exitCode !== 0) throw new Error(`keelson console failed: ${stderr}`)
  return stdout.trim()
}

/** The same by one request, as a process takes a second to start. */
const linkFor = async (kubeconfig: string, console: string): Promise<string> => {
  const { users } = parse(readFileSync(kubeconfig, 'utf8')) as {
    readonly users: readonly [{ readonly user: { readonly token: string } }]
  }
  const headers = { authorization: `Bearer ${users[0].user.token}` }
  const { url } = (await (await fetch(`${console}/console/link`, { headers })).json()) as { readonly url: string }
  return url
}

export const visit = async (
  in_: Browser,
  hub: Pick<Hub, 'console' | 'kubeconfig'>,
  {
    kubeconfig = hub.kubeconfig,
    link,
    ...look
  }: PageLook & { readonly kubeconfig?: string; readonly link?: string } = {},
): Promise<Visit> => {
  const { scheme = 'light', width = 1360, height = 900, scale = 1 } = look
  const context = await in_.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme: scheme,
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
  })
  // What a page waits for is a condition. Playwright gives up after 30 s of the clock, which on a busy machine are few of a processor.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', error => faults.push(`error: ${error.message}`))
  page.on('console', message => {
    const text = message.text()
    if (/Content Security Policy|Trusted/i.test(text)) faults.push(`policy: ${text}`)
  })
  page.on('request', request => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== hub.console && protocol !== 'data:') faults.push(`request to ${request.url()}`)
  })
  await page.goto(link ?? (await linkFor(kubeconfig, hub.console)))
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return { context, page, faults }
}

/** Resolves once a page shows what it is about, and takes keys. */
export const loaded = async (page: Page): Promise<void> => {
  await page.locator('h1').first().waitFor()
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
}
