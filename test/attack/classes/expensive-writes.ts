import assert from 'node:assert/strict'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import type { Attempt } from '../attack.ts'
import { type Manifest, manifest } from '../manifests.ts'
import type { AttackWorld } from '../world.ts'
import { created, victimIsServed, victimUnit } from './victims-unit.ts'

/** Objects of many fields and values, by every way into the API. */

const tooMany = /more than \d+ (fields; the limit is --max-object-fields=\d+|values)/

const fields = (count: number, value: unknown = 'v') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]))

const asApply = { 'content-type': 'application/apply-patch+yaml' }

/** Ways to bring an object of many fields into the hub. */
const writes = (
  title: string,
  write: (world: AttackWorld, target: Manifest) => ReturnType<AttackWorld['mallory']['request']>,
): Attempt => ({
  title: `the API: ${title} is refused, and the object stays as it was`,
  async run(world) {
    const target = manifest('ConfigMap', world.freshName(), { data: { kept: 'yes' } })
    await created(world, target)
    const [{ status, body }] = await Promise.all([
      write(world, target),
      victimUnit(world).then(() => victimIsServed(world)),
    ])
    assert.equal(status, 413, JSON.stringify(body).slice(0, 300))
    assert.match((body as { readonly message: string }).message, tooMany)
    // Whoever attacks with more than this has no seat to look from.
    const after = (await world.admin.request('GET', target.path)).body as KubernetesObject
    assert.deepEqual(after.data, { kept: 'yes' })
    await world.mallory.request('DELETE', target.path)
  },
})

const applied = (target: Manifest, data: object) => ({ ...target.object, data })

const tooManyValues = /holds more than \d+ values/

/** Bodies of a million values, each in the form of some request. */
const bodies: readonly (readonly [title: string, method: string, query: string, type: string, body: string])[] = [
  ['an update with a list of 1,000,000', 'PUT', '', 'application/json', `{"x":[${'{},'.repeat(999_999)}{}]}`],
  ['an update in YAML with a list of 1,000,000', 'PUT', '', 'application/yaml', `x: [${'0,'.repeat(1_000_000)}0]`],
  ['a merge patch of 1,000,000', 'PATCH', '', 'application/merge-patch+json', `{"x":[${'0,'.repeat(1_000_000)}0]}`],
  ['a JSON patch of 1,000,000', 'PATCH', '', 'application/json-patch+json', `[${'{},'.repeat(999_999)}{}]`],
  [
    'a server-side apply of 1,000,000',
    'PATCH',
    '?fieldManager=a',
    'application/apply-patch+yaml',
    `x: [${'0,'.repeat(1_000_000)}0]`,
  ],
  ['a deletion with options of 1,000,000', 'DELETE', '', 'application/json', `{"x":[${'0,'.repeat(1_000_000)}0]}`],
]
const bodiesOfValues = bodies.map(
  ([title, method, query, type, body]): Attempt => ({
    title: `the API: ${title} values is refused before it is parsed`,
    async run(world) {
      const target = manifest('ConfigMap', world.freshName(), { data: { kept: 'yes' } })
      await created(world, target)
      const request = world.mallory.request(method, target.path + query, body, { 'content-type': type })
      const [{ status, body: answer }] = await Promise.all([
        request,
        victimUnit(world).then(() => victimIsServed(world)),
      ])
      assert.equal(status, 413, JSON.stringify(answer).slice(0, 300))
      assert.match((answer as { readonly message: string }).message, tooManyValues)
      await world.mallory.request('DELETE', target.path)
    },
  }),
)

export const expensiveWrites = [
  writes('a server-side apply of 90,000 fields', ({ mallory }, target) =>
    mallory.request('PATCH', `${target.path}?fieldManager=a&force=true`, applied(target, fields(90_000)), asApply),
  ),
  writes('a server-side apply of 200,000 fields as a dry run', ({ mallory }, target) =>
    mallory.request(
      'PATCH',
      `${target.path}?fieldManager=a&force=true&dryRun=All`,
      applied(target, fields(200_000, '')),
      asApply,
    ),
  ),
  writes('an update with 90,000 fields', ({ mallory }, target) =>
    mallory.request('PUT', target.path, applied(target, fields(90_000))),
  ),
  writes('a merge patch of 90,000 fields', ({ mallory }, target) =>
    mallory.patch(target.path, { data: fields(90_000) }),
  ),
  writes('a strategic merge patch of 90,000 fields', ({ mallory }, target) =>
    mallory.request(
      'PATCH',
      target.path,
      { data: fields(90_000) },
      { 'content-type': 'application/strategic-merge-patch+json' },
    ),
  ),
  writes('a server-side apply of 90,000 annotations', ({ mallory }, target) =>
    mallory.request(
      'PATCH',
      `${target.path}?fieldManager=a&force=true`,
      { ...target.object, metadata: { ...target.object.metadata, labels: fields(90_000) } },
      asApply,
    ),
  ),
  ...bodiesOfValues,
  writes('managedFields that name 90,000 fields', ({ mallory }, target) => {
    const managedFields = [
      {
        ...{
          manager: 'a',
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          time: '2026-01-01T00:00:00Z',
        },
        fieldsV1: { 'f:data': Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`f:k${i}`, {}])) },
      },
    ]
    return mallory.request('PUT', target.path, {
      ...target.object,
      metadata: { ...target.object.metadata, managedFields },
    })
  }),
]
