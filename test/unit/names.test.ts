/** Exported names are in the field's words: docs/glossary.md says which words are replaced, and by what. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

/** In lower case, as they stand between the capitals of a name. */
const replaced = new Set(
  'look told tell wish announce words stranger strangers prove proven proof birth tend tender settlement most longest largest choice choices chosen voucher evidence inquiry concern claimant labelled bad door doorkeeper'.split(
    ' ',
  ),
)

/** What a word is in its own field: the names are Go's, sprig's, OpenPGP's or HTTP's. */
const kept = new Set(['connectedWords', 'splitWords', 'badRequest'])

const exported =
  /^export (?:default )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm

const wordsIn = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_]+/)
    .map(word => word.toLowerCase())

test('exported names hold no word that the glossary replaces', () => {
  const files = globSync('{lib,functions,infra,events}/**/*.ts', { cwd: root })
  assert.ok(files.length > 500, 'the sources were not found')
  const names = files.flatMap(file =>
    Array.from(readFileSync(join(root, file), 'utf8').matchAll(exported), ([, name]) => [file, name!] as const),
  )
  assert.ok(names.length > 2_000, 'no exported names were found')
  const wrong = names.filter(([, name]) => !kept.has(name) && wordsIn(name).some(word => replaced.has(word)))
  assert.deepEqual(wrong, [])
})

test('members of exported interfaces hold none of them either', () => {
  const members = globSync('{lib,functions,infra,events}/**/*.ts', { cwd: root }).flatMap(file =>
    Array.from(
      readFileSync(join(root, file), 'utf8').matchAll(/^export interface (\w+)[^\n]*\{\n([\s\S]*?)^\}/gm),
    ).flatMap(([, type, body]) =>
      Array.from(body!.matchAll(/^ {2}(?:readonly )?(\w+)\??[(:<]/gm), ([, name]) => [file, type, name!] as const),
    ),
  )
  assert.ok(members.length > 2_000, 'no members were found')
  const wrong = members.filter(([, , name]) => wordsIn(name).some(word => replaced.has(word)))
  assert.deepEqual(wrong, [])
})

test('the glossary lists each word that is replaced', () => {
  const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8').toLowerCase()
  const table = glossary.slice(glossary.indexOf('## words we replace'))
  for (const word of replaced) assert.ok(table.includes(word.replace(/s$|n$/, '')), word)
})

test('an error introduces itself by the name of its class', () => {
  const named = globSync('lib/**/*.ts', { cwd: root }).flatMap(file => {
    const text = readFileSync(join(root, file), 'utf8')
    return Array.from(text.matchAll(/class (\w+) extends [\s\S]*?this\.name = '(\w+)'/g), ([, type, name]) => [
      type,
      name,
    ])
  })
  assert.ok(named.length > 50, 'no errors were found')
  assert.deepEqual(
    named.filter(([type, name]) => type !== name),
    [],
  )
})
