import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { ObjectRef } from '../../../lib/foundations/kinds/object.ts'
import {
  type ChangeEvent,
  type Collection,
  type ObjectChange,
  type ObjectStore,
  type StoredObject,
  StoreError,
  type StoreErrorCode,
} from '../../../lib/platform/ports/objects.ts'
import { widget } from '../store-world.ts'

export const create = (
  ref: ObjectRef,
  body = '{}',
  more: Partial<Extract<ObjectChange, { op: 'create' }>> = {},
): ObjectChange => ({
  op: 'create',
  ref,
  body,
  refersTo: [],
  ...more,
})

export const update = (
  stored: StoredObject,
  body: string,
  more: Partial<Extract<ObjectChange, { op: 'update' }>> = {},
): ObjectChange => ({
  op: 'update',
  ref: stored.ref,
  expect: stored.version,
  body,
  refersTo: stored.refersTo,
  ...more,
})

export const remove = (stored: StoredObject): ObjectChange => ({
  op: 'delete',
  ref: stored.ref,
  expect: stored.version,
  body: stored.body,
})

export const failsWith = (code: StoreErrorCode) => (error: unknown) =>
  error instanceof StoreError && error.code === code

export const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

interface Step {
  readonly namespace: string
  readonly name: string
  readonly action: 'put' | 'remove'
  readonly body: string
}

/** A sequence of changes over few objects, so that they meet. */
export const changes = () =>
  fc.array(
    fc.record<Step>({
      namespace: fc.constantFrom('', 'a', 'b'),
      name: fc.constantFrom('p', 'q', 'r', 's'),
      action: fc.constantFrom('put', 'put', 'remove'),
      body: fc.string({ maxLength: 8 }),
    }),
    { maxLength: 12 },
  )

export async function perform(
  objects: ObjectStore,
  collection: Collection,
  steps: readonly Step[],
  model: Map<string, string> = new Map(),
): Promise<void> {
  for (const { namespace, name, action, body } of steps) {
    const ref = widget(name, namespace, collection)
    const stored = await objects.get(ref)
    if (action === 'remove') {
      if (stored) await objects.commit(remove(stored))
      model.delete(`${namespace}/${name}`)
    } else {
      const labels = [labelIn(body)]
      await objects.commit(stored ? update(stored, body, { labels }) : create(ref, body, { labels }))
      model.set(`${namespace}/${name}`, body)
    }
  }
}

export const labelIn = (body: string): string => `odd=${body.length % 2 === 1}`

export const essence = ({ ref, version, body }: StoredObject) => ({
  place: `${ref.namespace}/${ref.name}`,
  version,
  body,
})

export const eventEssence = ({ type, object }: ChangeEvent) => ({ type, ...essence(object) })

export const byPlace = (a: { place: string }, b: { place: string }) => (a.place < b.place ? -1 : 1)

/** Applies an event to a copy of the collection, checking that it fits what came before. */
export function follow(state: Map<string, StoredObject>, { type, object, before }: ChangeEvent): void {
  const place = `${object.ref.namespace}/${object.ref.name}`
  assert.equal(state.has(place), type !== 'created', `${type} of ${place}`)
  assert.equal(before, state.get(place)?.body)
  if (type === 'deleted') state.delete(place)
  else state.set(place, object)
}
