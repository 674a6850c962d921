import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { RE2JS } from 're2js'
import { bundle } from '../../../infra/bundle.ts'
import { tempDir } from '../../bed/temp-dir.ts'

test('in a bundle, expressions know the categories, scripts and cases of Unicode as outside of it', async () => {
  const folder = tempDir()
  const source = createRequire(import.meta.url)
    .resolve('re2js')
    .replace(/\.cjs$/, '.js')
  await bundle({ re2js: source }, folder)
  const file = join(folder, 're2js.mjs')
  assert.ok(tableBytes(file) < tableBytes(source) / 2, 'they lie packed')
  const bundled: typeof import('re2js') = await import(pathToFileURL(file).href)
  const text = Array.from({ length: 0x110000 / 17 }, (_, at) => String.fromCodePoint(at * 17)).join('')
  const found = (re2js: typeof RE2JS, expression: string): readonly string[] => {
    const matcher = re2js.compile(expression).matcher(text)
    const all: string[] = []
    while (matcher.find()) all.push(matcher.group() ?? '')
    return all
  }
  const classes = ['C', 'Cn', 'L', 'Ll', 'Lm', 'Lu', 'Mn', 'Nd', 'P', 'So', 'Z', 'Greek', 'Han', 'Latin', 'Arabic']
  for (const expression of [
    ...classes.map(name => `\\p{${name}}+`),
    '\\P{L}+',
    '(?i)[\u{3b1}-\u{3c9}k]+',
    '(?i)\\p{Lu}+',
  ]) {
    const expected = found(RE2JS, expression)
    assert.ok(expected.length > 0, expression)
    assert.deepEqual(found(bundled.RE2JS, expression), expected, expression)
  }
})

/** Bytes of the long texts in a program. */
const tableBytes = (file: string): number =>
  readFileSync(file, 'utf8')
    .match(/[\w+/-]{60,}/g)!
    .join('').length
