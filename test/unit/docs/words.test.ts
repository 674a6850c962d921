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

/** Requests get responses, and times are named. */
const code = /^(lib|functions|infra|events)\//
const replacedInCode =
  /[Aa]nswer|\b[Aa]sk(s|ed|ing)?\b|\basked[A-Z]|[a-z]Asked|[Mm]eanwhile|[Ll]ikewise|[Tt]hereby|whose turn|[Pp]atien(t|ce|tly)\b|\b[Ww]ires\b/

/** client-go's own messages. */
const keptInCode = new Set(['status-error.ts'])

/** A value of the setting `onClusterChange`. */
const setting = /['`]ask['`]/g

test('code calls things requests and responses, and holds no answers and no patience', () => {
  const sources = texts.filter(path => code.test(path) && !keptInCode.has(basename(path)))
  const found = sources.flatMap(path =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        replacedInCode.test(line.replaceAll(setting, '')) ? [`${path}:${at + 1}: ${line.trim()}`] : [],
      ),
  )
  assert.ok(sources.length > 500)
  assert.deepEqual(found, [])
})
