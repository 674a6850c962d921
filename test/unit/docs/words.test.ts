import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../../..')
const texts = globSync(
  ['README.md', 'docs/**/*.md', 'lib/**/*.ts', 'functions/**/*.ts', 'infra/**/*.ts', 'events/**/*.ts'],
  {
    cwd: root,
  },
)

test('pages, comments and messages call nobody "he"', () => {
  const found = texts.flatMap(path =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, at) => (/\b(he|his|him|himself)\b/.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  )
  assert.ok(texts.length > 500)
  assert.deepEqual(found, [])
})

/** What reads as if it had been translated: docs/glossary.md says what to write instead. */
const replaced =
  /\b(told|tells?|telling|anew|wish(es)?|births?|strangers?|whoever|vouch(es)?|look(s|ed|ing)? (at|for)|stands? for|goes on|gone on)\b/i

/** Data, and Go's own messages. */
const kept = new Set(['transliterations.ts', 'parse-json.ts'])

test('comments and messages hold no word that the glossary replaces', () => {
  const sources = texts.filter(path => path.endsWith('.ts') && !kept.has(basename(path)))
  const found = sources.flatMap(path =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, at) => (replaced.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  )
  assert.ok(sources.length > 500)
  assert.deepEqual(found, [])
})

/** In these rooms nothing asks, answers or is told: what is said of requests and responses has HTTP's and Go's names. */
const rooms = /^(lib\/(hub|compose)|functions|infra)\//

test('the hub and what composes it request and respond', () => {
  const sources = texts.filter(path => rooms.test(path))
  const found = sources.flatMap(path =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        /\b(answer(s|ed|ing)?|asks|asked|asking|meanwhile|likewise|thereby)\b/.test(line)
          ? [`${path}:${at + 1}: ${line.trim()}`]
          : [],
      ),
  )
  assert.ok(sources.length > 200)
  assert.deepEqual(found, [])
})

/** Requests get responses, and times are named: these rooms were read word by word. */
const readRooms = /^lib\/(clusters|engines|foundations|platform|signals|sources)\//
const replacedInRooms =
  /[Aa]nswer|\b[Aa]sk(s|ed|ing)?\b|\basked[A-Z]|[a-z]Asked|[Mm]eanwhile|[Ll]ikewise|[Tt]hereby|whose turn|[Pp]atien(t|ce|tly)\b|\b[Ww]ires\b/

/** client-go's own messages, and the setting `ask`. */
const keptInRooms = new Set(['status-error.ts', 'cluster-binding.ts'])

test('rooms that call things requests and responses hold no answers and no patience', () => {
  const sources = texts.filter(path => readRooms.test(path) && !keptInRooms.has(basename(path)))
  const found = sources.flatMap(path =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, at) => (replacedInRooms.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  )
  assert.ok(sources.length > 500)
  assert.deepEqual(found, [])
})
