/** The documentation as a static site: built as releases build it, and read in a browser. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildSite } from '../../.ci/site/build-site.ts'
import { sitePath } from '../../.ci/site/pages.ts'
import { browser } from '../bed/browser.ts'
import { cacheDir } from '../bed/go-tool.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'

const root = join(import.meta.dirname, '../..')
const folder = disposableDir()
endWithTest(folder)
const out = join(folder.path, 'site')
buildSite({ root, out, base: '/v1.2.3/', version: 'v1.2.3', cache: cacheDir() })

/** A server of the files below `/v1.2.3/`, and nothing else. */
const served = async (): Promise<string> => {
  const types: Readonly<Record<string, string>> = {
    html: 'text/html',
    js: 'text/javascript',
    css: 'text/css',
    svg: 'image/svg+xml',
  }
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.replace(/^\/v1\.2\.3\//, '')
    const file = join(out, path === '' ? 'index.html' : path)
    if (!existsSync(file)) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': types[file.split('.').at(-1)!] ?? 'application/octet-stream' })
    return response.end(readFileSync(file))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  endWithTest({ [Symbol.asyncDispose]: async () => void (await new Promise(resolve => server.close(resolve))) })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('every page of the project is a page of the site', () => {
  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })]
  assert.ok(pages.length > 100)
  const missing = pages.filter(page => !existsSync(join(out, sitePath(page)!.replace(/\.md$/, '.html'))))
  assert.deepEqual(missing, [])
})

test('braces in a page are text, not a template', () => {
  const page = readFileSync(join(root, 'docs/operations.md'), 'utf8')
  assert.ok(page.includes('`{{AccountID}}`'))
  assert.ok(readFileSync(join(out, 'operations.html'), 'utf8').includes('<code>{{AccountID}}</code>'))
})

test('a reader finds a command by searching, and no request leaves the site', async () => {
  const origin = await served()
  const context = await (await browser()).newContext()
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', error => faults.push(error.message))
  page.on('request', request => {
    const url = new URL(request.url())
    if (url.origin !== origin && !['data:', 'blob:'].includes(url.protocol)) faults.push(`request to ${url}`)
  })
  page.on('response', response => {
    if (response.status() >= 400) faults.push(`${response.status()} of ${response.url()}`)
  })
  await page.goto(`${origin}/v1.2.3/`)
  await page.getByRole('heading', { level: 1, name: 'Keelson' }).waitFor()
  await page.getByText('v1.2.3').first().waitFor()
  await page.getByRole('link', { name: 'Get started' }).first().waitFor()
  assert.equal(await page.getByText('{{').count(), 0, 'a template is shown instead of its text')

  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.locator('input[type=search]').fill('allow-prune')
  await page.locator('.results a', { hasText: 'keelson allow-prune' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'keelson allow-prune' }).waitFor()

  await page.goto(`${origin}/v1.2.3/architecture.html`)
  const picture = page.getByRole('img', { name: 'Flowchart' })
  await picture.waitFor()
  assert.ok(await picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth > 300))
  assert.deepEqual(faults, [])
})
