/**
 * node .ci/prose.ts [PAGE...]
 *
 * Reads the pages that people wrote, or those named, for plain English, and exits with 1 if it finds something that exceptions.ts does not explain.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exceptions } from './prose/exceptions.ts'
import { lintProse } from './prose/lint.ts'

const root = join(import.meta.dirname, '..')
const generated = /^docs\/(reference\/|checklist|libraries\.md)/
const all = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].filter(page => !generated.test(page)).sort()
const named = process.argv.slice(2)

const used = new Set<unknown>()
let failures = 0
for (const page of named.length > 0 ? named : all) {
  for (const { line, message } of await lintProse(readFileSync(join(root, page), 'utf8'))) {
    const exception = exceptions.find(
      it => (it.page.endsWith('/') ? page.startsWith(it.page) : it.page === page) && message.includes(it.message ?? ''),
    )
    if (exception) used.add(exception)
    else {
      failures += 1
      console.error(`${page}:${line}: ${message}`)
    }
  }
}
const unused = named.length > 0 ? [] : exceptions.filter(exception => !used.has(exception))
for (const { page, message = 'everything' } of unused)
  console.error(`${page}: the exception for ${message} is no longer needed`)
process.exitCode = failures + unused.length > 0 ? 1 : 0
