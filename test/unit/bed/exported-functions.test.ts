import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportedFunctions } from '../../bed/exported-functions.ts'

const source = `/** The file. */

export const bare = (a: string): string => a
/** Says what. */
export const documented = async (a: string) => a
// Why.
export function declared(): void {}
/** Of both overloads. */
export function overloaded(a: string): string
export function overloaded(a: number): number
export function overloaded(a: never): never {
  return a
}
/** Of what follows the blank line. */

export const apart = () => 1
export const isShort = (a: string): boolean => a !== ''
export const isLong = (a: string): boolean => {
  return a !== ''
}
export const value = 'no function'
export const called = bare('no function either')
const internal = () => 1
export type Only = () => void
export { internal }
`

test('exported functions are found with their docstrings', () => {
  const found = exportedFunctions('a.ts', source).map(({ name, line, hasDocstring }) => [name, line, hasDocstring])
  assert.deepEqual(found, [
    ['bare', 3, false],
    ['documented', 5, true],
    ['declared', 7, true],
    ['overloaded', 9, true],
    ['apart', 16, false],
    ['isShort', 17, false],
    ['isLong', 18, false],
  ])
})

test('a predicate of one expression is short', () => {
  const short = exportedFunctions('a.ts', source).filter(({ isShortPredicate }) => isShortPredicate)
  assert.deepEqual(
    short.map(({ name }) => name),
    ['isShort'],
  )
})

test('components are found in tsx, and a text that does not parse is an error', () => {
  assert.equal(exportedFunctions('a.tsx', 'export const Page = () => <p>text</p>')[0]?.name, 'Page')
  assert.throws(() => exportedFunctions('a.ts', 'export const = 1'), /a\.ts: /)
})
