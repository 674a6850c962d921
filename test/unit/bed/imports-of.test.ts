import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importsOf } from '../../bed/imports-of.ts'

test('finds imports of every form, with their lines', () => {
  const source = `import 'a'
import b from 'b'
import type { C, type D } from './c.ts'
import {
  long,
  list,
} from '../d.ts'
export * from 'e'
export { f } from 'f'
import * as g from 'node:g'
const h = await import('h')
`
  const found = importsOf(source).map(({ from, line }) => `${line} ${from}`)
  assert.deepEqual(found, ['1 a', '2 b', '3 ./c.ts', '4 ../d.ts', '8 e', '9 f', '10 node:g', '11 h'])
})

test('is not taken in by comments, strings and names', () => {
  const source = `// import 'a'
/*
import 'b'
 */
export const c = "cannot read from 'c'"
const text = 'no import from here'
export function importFrom(from = 'd') {
  return loader.import('e')
}
`
  assert.deepEqual(importsOf(source), [])
})
