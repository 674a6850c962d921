import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { builtInKinds } from '../../../../lib/foundations/kinds/all.ts'
import { ageOf, humanDuration } from '../../../../lib/foundations/kinds/human-duration.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { parseJsonPath } from '../../../../lib/foundations/kinds/schema/json-path.ts'
import { tableOf } from '../../../../lib/foundations/kinds/table.ts'

interface Recorded {
  readonly columns: readonly object[]
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: KubernetesObject }[]
}

const recorded: Readonly<Record<string, Recorded>> = JSON.parse(
  readFileSync(new URL('table.recorded.json', import.meta.url), 'utf8'),
)

/** A few seconds after the objects were created: their ages depend on when they were recorded. */
const created = '2026-11-21T17:00:00Z'
const now = Date.parse(created) + 5_000

for (const kind of builtInKinds)
  test(`shows ${kind.plural} as a kube-apiserver does`, () => {
    const { columns, rows } = recorded[kind.kind]!
    const objects = rows.map(({ object }) => ({
      ...object,
      metadata: { ...object.metadata, creationTimestamp: created },
    }))
    const table = tableOf(kind.versions[0]!, objects, { now, includeObject: 'Object' })
    const headers = table.columnDefinitions!.map(({ description, ...column }) => column)
    const age = headers.findIndex(({ name }) => name === 'Age' || name === 'Created At')
    const shown = headers[age]?.name === 'Age' ? '5s' : created
    assert.deepEqual(headers, columns)
    assert.deepEqual(
      table.rows,
      rows.map(({ cells }, index) => ({ cells: age < 0 ? cells : cells.with(age, shown), object: objects[index] })),
    )
  })

test('includes metadata in each row unless more or nothing is requested', () => {
  const [version] = builtInKinds[0]!.versions
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' }, status: { phase: 'Active' } }
  const shown = (includeObject?: 'None') => tableOf(version!, [object], { now, includeObject, headers: false })
  const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {}, columnDefinitions: null }
  const cells = ['a', 'Active', '<unknown>']
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } }
  assert.deepEqual(shown(), { ...table, rows: [{ cells, object: partial }] })
  assert.deepEqual(shown('None'), { ...table, rows: [{ cells }] })
})

test('shows ages the coarser the longer they are', () => {
  const s = 1_000
  const [m, h, d] = [60 * s, 3_600 * s, 86_400 * s]
  const ages: [number, string][] = [
    [-5 * s, '<invalid>'],
    [-1.5 * s, '0s'],
    [0, '0s'],
    [119.9 * s, '119s'],
    [2 * m, '2m'],
    [9 * m + 30 * s, '9m30s'],
    [10 * m + 30 * s, '10m'],
    [179 * m, '179m'],
    [3 * h, '3h'],
    [3 * h + 5 * m, '3h5m'],
    [9 * h + 5 * m, '9h'],
    [47 * h, '47h'],
    [48 * h, '2d'],
    [50 * h, '2d2h'],
    [9 * d, '9d'],
    [729 * d, '729d'],
    [731 * d, '2y1d'],
    [730 * d, '2y'],
    [9 * 365 * d + d, '9y'],
  ]
  assert.deepEqual(
    ages.map(([ms]) => humanDuration(ms)),
    ages.map(([, shown]) => shown),
  )
  assert.equal(ageOf('soon', now), '<invalid>')
})

test('follows the paths that columns may use', () => {
  const value = {
    a: { 'b.c': [1, 2] },
    list: [
      { type: 'x', n: 1 },
      { type: 'y', n: 2, ok: true },
    ],
  }
  const found = (path: string) => parseJsonPath(path)(value)
  assert.deepEqual(found('.a.b\\.c[0]'), [1])
  assert.deepEqual(found(".a['b.c'][-1]"), [2])
  assert.deepEqual(found('.list[*].type'), ['x', 'y'])
  assert.deepEqual(found('.list[?(@.type=="y")].n'), [2])
  assert.deepEqual(found(".list[?(@.type!='y')].n"), [1])
  assert.deepEqual(found('.list[?(@.n>=2)].type'), ['y'])
  assert.deepEqual(found('.list[?(@.ok)].type'), ['y'])
  assert.deepEqual(found('.list[7].n'), [])
  assert.deepEqual(found('.constructor.name'), [])
  assert.throws(() => parseJsonPath('.a[?(@.b=~"x")]'), /not a JSONPath for a column: ".a\[\?\(@\.b=~\\"x\\"\)\]"/)
})
