import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { bundleConsole } from '../../../infra/console-bundle.ts'
import { readConsolePages } from '../../../lib/compose/console-pages.ts'
import { disposableDir } from '../../bed/temp-dir.ts'

/** The console's first page, script and style together, compressed. */
const maxBytes = 100_000

test('the console is one document with hashed files, small enough to open on a phone', async t => {
  await using dir = disposableDir()
  const folder = await bundleConsole(join(dir.path, 'console'))
  const names = readdirSync(folder)
  const compressed = names
    .filter(name => /^(console|style)-\w+\.(js|css)$/.test(name))
    .reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name)), { level: 9 }).length, 0)
  t.diagnostic(`${compressed} bytes of script and style, compressed`)
  assert.ok(compressed > 10_000, 'the bundle is there')
  assert.ok(
    names.some(name => /^graph-layout-\w+\.js$/.test(name)),
    'what only graphs need comes with them',
  )
  assert.ok(compressed < maxBytes, `${compressed} bytes`)
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const links = Array.from(html.matchAll(/(?:src|href)="([^"]*)"/g), ([, link]) => link!)
  assert.equal(links.length, 3)
  const pages = readConsolePages(folder)
  for (const link of links) {
    assert.match(link, /^\/console\/assets\/\w+-[0-9A-Za-z]{8}\.(js|css|svg)$/)
    assert.ok(pages?.assets.has(link.slice('/console/assets/'.length)), link)
  }
  assert.doesNotMatch(html, /<script>|<style|style=|onload/, 'nothing inline, which the policy forbids')
  assert.equal(readConsolePages(join(dir.path, 'nowhere')), undefined)
})
