import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checklistPages, idsByTest, idsInTitles, recordedIds, shownBy } from '../../conformance/checklist.ts'

const root = join(import.meta.dirname, '../../..')
const pages = checklistPages()
const ids = pages.flatMap(({ statements }) => statements.map(({ id }) => id))
const stated = new Set(ids)

const kindOf = (id: string): string => id.slice(0, 2)

test('every page of the checklist numbers its statements from 1, without a gap, under an id of its own', () => {
  assert.ok(pages.length > 0)
  for (const { file, statements } of pages) {
    const kind = kindOf(statements[0]!.id)
    assert.deepEqual(
      statements.map(({ id }) => id),
      statements.map((_, at) => `${kind}-${String(at + 1).padStart(3, '0')}`),
      file,
    )
  }
  assert.equal(stated.size, ids.length)
})

test('every list item of a page of the checklist is a statement', () => {
  for (const { file, statements } of pages) {
    const items = readFileSync(join(root, 'docs/checklist', file), 'utf8').match(/^\s*[-*] /gm) ?? []
    assert.equal(items.length, statements.length, file)
  }
})

test('every id in the title of a test has a statement', () => {
  const unknown = [...idsByTest()].flatMap(([file, found]) =>
    [...found].filter(id => !stated.has(id)).map(id => `${file}: ${id}`),
  )
  assert.deepEqual(unknown, [])
})

test('every statement is shown, or is listed under "not shown by a test"', () => {
  const table = readFileSync(join(root, 'docs/checklist.md'), 'utf8')
  const notShown = [...table.matchAll(/^\|.*\d+ of \d+ \| ?(.*)\|$/gm)].flatMap(([, cell = '']) =>
    idsInTitles(`'${cell.replaceAll(' – ', '..')}'`),
  )
  const shown = shownBy()
  assert.deepEqual(
    ids.filter(id => !shown.has(id)),
    notShown,
  )
})

test('the recordings need not be there: what they show is kept in a file', () => {
  const kept = recordedIds([join(root, 'no/recordings/here')])
  assert.deepEqual(kept, recordedIds())
  assert.ok(Object.values(kept).flat().length > 0)
})

test('ids are read from strings, with ranges, and not from comments', () => {
  const source = 'test(\'@-001, @-003..005 holds\') // @-009\n/* @-010 */ const rows = [`@-012 ${x}`, "@-013"]'
  assert.deepEqual(
    idsInTitles(source.replaceAll('@', 'ZZ')),
    [1, 3, 4, 5, 12, 13].map(number => `ZZ-${String(number).padStart(3, '0')}`),
  )
})
