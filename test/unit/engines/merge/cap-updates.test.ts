import assert from 'node:assert/strict'
import { test } from 'node:test'
import { capUpdates } from '../../../../lib/engines/merge/cap-updates.ts'
import { setOf } from '../../../../lib/engines/merge/field-set.ts'
import { encodeFields } from '../../../../lib/engines/merge/fields-v1.ts'
import { managerKey, type Ownership } from '../../../../lib/engines/merge/managed-fields.ts'

const update = (manager: string, time?: string, apiVersion = 'v1'): Ownership => ({
  ...{ manager, operation: 'Update', apiVersion, fields: setOf([manager]) },
  ...(time && { time }),
})
const applied = (manager: string): Ownership => ({ ...update(manager, '10'), operation: 'Apply' })

/** What is left: each as its manager, its time and its fields. */
const capped = (...owners: Ownership[]) =>
  [...capUpdates(new Map(owners.map(owner => [managerKey(owner), owner]))).values()]
    .filter(({ operation }) => operation === 'Update')
    .map(({ manager, apiVersion, time, fields }) =>
      [manager, apiVersion, time, ...Object.keys(encodeFields(fields))].join(' '),
    )
    .sort()

/** Updates at the times 15, 16, 17 and so on. */
const later = (count: number) => Array.from({ length: count }, (_, index) => update(`m${index}`, String(15 + index)))
const asTheyAre = (count: number) => later(count).map(({ manager, time }) => `${manager} v1 ${time} f:${manager}`)

test('ten updates stay as they are, however many apply beside them', () => {
  assert.deepEqual(capped(...later(10), applied('x'), applied('y')), asTheyAre(10).sort())
})

test('the oldest beyond ten become one, of the time of the last of them, in whatever order they are', () => {
  const [a, b, c, unknown] = [update('a', '11'), update('b', '12'), update('c', '13'), update('u')]
  assert.deepEqual(capped(...later(9), b, a), [`ancient-changes v1 12 f:a f:b`, ...asTheyAre(9)].sort())
  assert.deepEqual(capped(b, ...later(9), a, c), [`ancient-changes v1 13 f:a f:b f:c`, ...asTheyAre(9)].sort())
  // One without a time is the oldest.
  assert.deepEqual(capped(a, ...later(9), unknown), [`ancient-changes v1 11 f:a f:u`, ...asTheyAre(9)].sort())
  // Of the same time those come first whose names do.
  const same = ['d', 'c', 'b', 'a'].map(name => update(name, '11'))
  assert.deepEqual(
    capped(...same, ...later(8)),
    ['ancient-changes v1 11 f:a f:b f:c', 'd v1 11 f:d', ...asTheyAre(8)].sort(),
  )
})

test('changes of different versions are merged apart, and those without a time have none', () => {
  const old = [update('a', '11', 'v2'), update('b', '12'), update('c', '13', 'v2'), update('d', '14')]
  assert.deepEqual(
    capped(...old, ...later(8)),
    ['ancient-changes v1 14 f:b f:d', 'ancient-changes v2 13 f:a f:c', ...asTheyAre(8)].sort(),
  )
  assert.deepEqual(
    capped(update('a'), update('b'), ...later(9)),
    ['ancient-changes v1  f:a f:b', ...asTheyAre(9)].sort(),
  )
})
