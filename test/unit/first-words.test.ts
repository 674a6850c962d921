/** Exported functions begin with a verb of docs/glossary.md, or with the first word of what they return. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

/** Say no more than the name of what is done to, or less: the glossary has a word for each of their uses. */
const vague = new Set('do execute manage obtain retrieve compute calc produce init initialize prep deal'.split(' '))

const exported =
  /^export (?:default )?(?:async )?(?:function\*? (?<declared>\w+)|const (?<assigned>\w+)(?:: [^=]+)? =\s*(?:async )?(?:<[^>]*>)?\()/gm

interface Named {
  readonly file: string
  readonly name: string
  readonly first: string
}

const functions: readonly Named[] = globSync('{lib,functions,infra,events}/**/*.{ts,tsx}', { cwd: root }).flatMap(
  file =>
    Array.from(readFileSync(join(root, file), 'utf8').matchAll(exported), ({ groups }) => {
      const name = groups!.declared ?? groups!.assigned!
      return { file, name, first: /^[a-z0-9]*/.exec(name)![0] }
    }).filter(({ first }) => first !== ''),
)

/** The words in code font in the section about verbs. */
const verbs = (): ReadonlySet<string> => {
  const [, section = ''] = readFileSync(join(root, 'docs/glossary.md'), 'utf8').split(/^## Verbs of functions$/m)
  const [text = ''] = section.split(/^## /m)
  return new Set(Array.from(text.matchAll(/`([a-z]+)`/g), ([, word]) => word!))
}

/** Nouns, adjectives and prepositions with which names begin: `test/unit/first-words.txt`, in order, one a line. */
const others = (): readonly string[] =>
  readFileSync(join(import.meta.dirname, 'first-words.txt'), 'utf8')
    .trim()
    .split('\n')

test('an exported function begins with a known word', () => {
  assert.ok(functions.length > 2_500, 'the sources were not found')
  const known = new Set([...verbs(), ...others()])
  const unknown = functions.filter(({ first }) => !known.has(first))
  const advice =
    'add a verb to "Verbs of functions" in docs/glossary.md, with what sets it apart from the others; any other word to test/unit/first-words.txt'
  assert.deepEqual(unknown, [], advice)
})

test('no exported function begins with a verb that says nothing', () => {
  assert.deepEqual(
    functions.filter(({ first }) => vague.has(first)),
    [],
  )
})

test('each known word is in use, is listed once, and no verb is vague', () => {
  const used = new Set(functions.map(({ first }) => first))
  const listed = others()
  assert.deepEqual(
    listed.filter(word => !used.has(word)),
    [],
  )
  assert.deepEqual(listed, [...new Set(listed)].sort())
  const known = verbs()
  assert.ok(known.size > 100, 'the verbs were not found')
  assert.deepEqual(
    listed.filter(word => known.has(word)),
    [],
  )
  assert.deepEqual(
    [...known].filter(word => vague.has(word)),
    [],
  )
})
