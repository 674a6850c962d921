/** Of schemas what no recorded tree shows: kustomize panics at these, or turns for ever. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build } from '../../../../lib/engines/kustomize/build.ts'
import { tableFromSwagger } from '../../../../lib/engines/kustomize/schema/swagger-table.ts'
import { typesIn } from '../../../../lib/engines/kustomize/schema/table-schema.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'

const GVK = 'x-kubernetes-group-version-kind'
const list = { type: 'array', items: {}, 'x-kubernetes-patch-strategy': 'merge', 'x-kubernetes-patch-merge-key': 'id' }
const kind = (name: string) => ({ [GVK]: [{ version: 'v1', kind: name }] })

const builtWith = (schema: string) =>
  build(
    memoryTree({
      'kustomization.yaml': 'resources: [a.yaml]\nopenapi: {path: schema.json}\n',
      'a.yaml': 'apiVersion: v1\nkind: A\nmetadata: {name: a}\n',
      'schema.json': schema,
    }),
    '',
  )

const refused: readonly (readonly [schema: unknown, why: string])[] = [
  [5, '5'],
  [[], '[]'],
  [{ definitions: 'text' }, '"text"'],
  [{ definitions: { A: true } }, 'true'],
  [{ definitions: { A: { properties: [1] } } }, '[1]'],
  [{ definitions: { A: { properties: { a: false } } } }, 'false'],
  [{ definitions: { A: { properties: { a: { ...list, items: [{}] } } } } }, '[{}]'],
  [{ definitions: { A: { properties: { a: { $ref: '#/definitions/A/x' } }, x: 7 } } }, '7'],
  [{ paths: [] }, '[]'],
  [{ paths: { '/a': 1 } }, '1'],
  [{ paths: { '/a': { get: true } } }, 'true'],
]

test('a schema with something else in the place of an object is refused', async () => {
  for (const [schema, why] of refused)
    await assert.rejects(builtWith(JSON.stringify(schema)), {
      message: `invalid schema file: ${why} is not an object`,
      field: 'openapi.path',
    })
  await assert.rejects(builtWith('{'), { message: /^invalid schema file: yaml: / })
})

test('definitions that refer to themselves are read to an end', () => {
  const table = tableFromSwagger({
    definitions: {
      A: { properties: { list, loop: { $ref: '#/definitions/Loop' }, a: { $ref: '#/definitions/A' } }, ...kind('A') },
      Loop: { $ref: '#/definitions/More' },
      More: { $ref: '#/definitions/Loop', properties: { list } },
    },
  })
  const a = typesIn(table)('v1', 'A')!
  assert.equal(a.field('loop')!.field('list'), undefined)
  assert.deepEqual(a.field('a')!.field('a')!.field('list')!.mergeKeys, ['id'])
})

test('what a definition holds within itself may be referred to, too', () => {
  const deep = (path: string) => ({ $ref: `#/definitions/A/properties/${path}` })
  const table = tableFromSwagger({
    definitions: {
      A: {
        properties: {
          outer: { properties: { inner: { properties: { list } }, again: deep('outer') } },
          same: deep('outer'),
          inner: deep('outer/properties/inner'),
        },
        ...kind('A'),
      },
    },
  })
  const a = typesIn(table)('v1', 'A')!
  for (const outer of [a.field('outer'), a.field('same'), a.field('outer')!.field('again')!.field('again')])
    assert.deepEqual(outer!.field('inner')!.field('list')!.mergeKeys, ['id'])
  assert.deepEqual(a.field('inner')!.field('list')!.mergeKeys, ['id'])
  assert.equal(a.field('list'), undefined)
})

test('a document may refer to what another one defines', () => {
  const base = tableFromSwagger({
    definitions: { Part: { properties: { list } }, Old: { properties: { list }, ...kind('Old') } },
    paths: {
      '/namespaces/{namespace}/a': { get: { [GVK]: { version: 'v1', kind: 'A' } } },
      '/b': { get: { [GVK]: { group: 'g', version: 'v1', kind: 'B' } } },
    },
  })
  assert.deepEqual([base.namespaced, base.clusterScoped], [['v1/A'], ['g/v1/B']])
  const types = typesIn(
    tableFromSwagger(
      { definitions: { New: { properties: { part: { $ref: '#/definitions/Part' } }, ...kind('New') } } },
      base,
    ),
  )
  assert.deepEqual(types('v1', 'New')!.field('part')!.field('list')!.mergeKeys, ['id'])
  assert.deepEqual(types('v1', 'Old')!.field('list')!.mergeKeys, ['id'])
})
