/** What holds for ownership whatever happens, tried on random objects. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compare } from '../../../../lib/engines/merge/compare.ts'
import type { FieldSet } from '../../../../lib/engines/merge/field-set.ts'
import {
  difference,
  emptySet,
  intersection,
  isEmpty,
  isEqual,
  leaf,
  pathsOf,
  setOf,
  union,
  without,
} from '../../../../lib/engines/merge/field-set.ts'
import { fieldsOf } from '../../../../lib/engines/merge/fields-of.ts'
import { decodeFields, describePath, encodeFields } from '../../../../lib/engines/merge/fields-v1.ts'
import { decodeOwners } from '../../../../lib/engines/merge/managed-fields.ts'
import { mergeValues } from '../../../../lib/engines/merge/merge-values.ts'
import { removeFields } from '../../../../lib/engines/merge/remove-fields.ts'
import { wholeSchemaOf } from '../../../../lib/foundations/kinds/metadata.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { type Step, step, steps, thing } from './thing.ts'
import { asWrite, world } from './world.ts'

const schema = wholeSchemaOf(thing.versions[0]!)
const applied = step.filter(({ do: action }) => action === 'apply')
const object = applied.map(one => asWrite(one, undefined).sent)
const fields = object.map(one => fieldsOf(schema, one))
const check = <T>(values: fc.Arbitrary<T>, holds: (value: T) => unknown) =>
  fc.assert(
    fc.property(values, value => holds(value) !== false),
    { numRuns: 60 },
  )

/** An object after a few random writes. */
const history = (sequence: readonly Step[]) => {
  const made = world(thing)
  for (const one of sequence) made.write(asWrite(one, made.live()))
  return made
}

const ownersOf = (live: KubernetesObject | undefined) => decodeOwners(live?.metadata.managedFields)!

test('field sets come back from managedFields as they went in', () => {
  check(fields, set => isEqual(decodeFields(JSON.parse(JSON.stringify(encodeFields(set))))!, set))
})

test('field sets obey the laws of sets', () => {
  check(fc.tuple(fields, fields, fields), ([a, b, c]) => {
    const same = (one: FieldSet, other: FieldSet, law: string) => assert.ok(isEqual(one, other), law)
    same(union(a, b), union(b, a), 'a ∪ b = b ∪ a')
    same(union(a, union(b, c)), union(union(a, b), c), 'union is associative')
    same(intersection(a, b), intersection(b, a), 'a ∩ b = b ∩ a')
    same(union(difference(a, b), intersection(a, b)), a, '(a ∖ b) ∪ (a ∩ b) = a')
    same(difference(a, a), emptySet, 'a ∖ a = ∅')
    same(difference(a, emptySet), a, 'a ∖ ∅ = a')
    same(intersection(difference(a, b), b), emptySet, '(a ∖ b) ∩ b = ∅')
    same(
      without(a, setOf(['apiVersion'], ['kind'], ['metadata'], ['spec'])),
      emptySet,
      'without takes all that lies below',
    )
  })
})

test('sets are the same when all their fields are, and only then', () => {
  const [a, deep] = [setOf(['a']), setOf(['a', 'b'])]
  const sets = [emptySet, leaf, a, setOf(['b']), deep, union(a, deep), setOf(['a', 'c']), setOf(['a'], ['b'])]
  for (const [i, one] of sets.entries())
    for (const [j, other] of sets.entries()) {
      const again = decodeFields(JSON.parse(JSON.stringify(encodeFields(other))))!
      if (other !== leaf) assert.equal(isEqual(one, again), i === j, `${i} and ${j}`)
    }
  assert.deepEqual([...pathsOf(deep)], [['f:a', 'f:b']], 'what holds a field is not in the set for that')
})

test('refuses what is no field set', () => {
  const nested = (levels: number) => Array.from({ length: levels }).reduce<object>(inner => ({ 'f:a': inner }), {})
  for (const fields of [
    null,
    'x',
    [],
    { a: {} },
    { 'f:a': 1 },
    { 'k:x': {} },
    { 'k:[]': {} },
    { 'k:null': {} },
    { 'k:"x"': {} },
    { 'k:5': {} },
    { 'v:': {} },
    { 'i:-1': {} },
    { 'i:1x': {} },
    { 'i:1234567890': {} },
    { '.': {}, x: {} },
    nested(258),
  ])
    assert.equal(decodeFields(fields), undefined, JSON.stringify(fields).slice(0, 80))
  assert.ok(decodeFields(nested(256)))
  assert.ok(decodeFields({ 'i:123456789': {} }))
  assert.deepEqual(decodeFields({ '.': {} }), leaf)
  assert.deepEqual(decodeFields({}), emptySet)
  assert.deepEqual(decodeFields({ 'f:a': {} })?.below.get('f:a'), leaf)
})

test('writes paths as conflicts name them', () => {
  const set = decodeFields({ 'f:a': { 'k:{"name":"x","port":80}': { '.': {}, 'f:b': { 'v:"y"': {} } }, 'i:3': {} } })!
  assert.deepEqual([...pathsOf(set)].map(describePath), [
    '.a[name="x",port=80]',
    '.a[3]',
    '.a[name="x",port=80].b[="y"]',
  ])
})

test('writes fields before keys, values and positions, each in order', () => {
  const written = {
    'f:a': {},
    'f:b': { '.': {}, 'f:c': {} },
    'k:{"a":"y","b":1}': {},
    'k:{"name":"x"}': {},
    'v:"a"': {},
    'v:2': {},
    'i:2': {},
    'i:10': {},
    'i:100': {},
  }
  const otherwise = JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(written).reverse())))
  const set = decodeFields({ ...otherwise, 'k:{"b":1,"a":"y"}': {} })!
  assert.deepEqual(Object.keys(encodeFields(set)), Object.keys(written))
  assert.deepEqual([...pathsOf(set)].map(describePath), [
    '.a',
    '.b',
    ...['[a="y",b=1]', '[name="x"]', '[="a"]', '[=2]', '[2]', '[10]', '[100]'],
    '.b.c',
  ])
})

test('a value differs from another exactly when the comparison says so', () => {
  check(object, one => {
    const { added, modified, removed } = compare(schema, one, structuredClone(one))
    return isEmpty(added) && isEmpty(modified) && isEmpty(removed)
  })
  check(fc.tuple(object, object), ([a, b]) => {
    const there = compare(schema, a, b)
    const back = compare(schema, b, a)
    assert.ok(isEqual(there.added, back.removed) && isEqual(there.removed, back.added))
    assert.ok(isEqual(there.modified, back.modified))
  })
})

test('merging keeps all of what is applied, and all else of what is live', () => {
  check(fc.tuple(object, object), ([live, sent]) => {
    const merged = mergeValues(schema, live, sent)
    const fromSent = compare(schema, sent, merged)
    assert.ok(isEmpty(fromSent.removed) && isEmpty(fromSent.modified))
    assert.ok(isEmpty(compare(schema, live, merged).removed))
    assert.deepEqual(mergeValues(schema, merged, sent), merged, 'merging again changes nothing')
  })
})

test('removed fields are gone, and nothing else is', () => {
  check(fc.tuple(object, fields), ([one, set]) => {
    const { added, modified, removed } = compare(schema, one, removeFields(schema, one, set))
    assert.ok(isEmpty(added) && isEmpty(modified))
    assert.ok(isEmpty(without(removed, set)))
    assert.ok(isEmpty(difference(intersection(fieldsOf(schema, one), set), removed)))
  })
})

test('an atomic value whose parts are to go, goes as a whole, and what has no such parts stays', () => {
  const removed = (spec: object, ...fields: string[]) => {
    const set = decodeFields({
      'f:spec': Object.fromEntries(fields.map(name => [`f:${name}`, { 'f:a': {}, 'i:0': {} }])),
    })
    return (removeFields(schema, { spec }, set!) as { spec: object }).spec
  }
  assert.deepEqual(removed({ atomicMap: { a: 'x', b: 'y' }, text: 'x' }, 'atomicMap'), { atomicMap: {}, text: 'x' })
  assert.deepEqual(removed({ atomicList: ['a'], list: ['b'] }, 'atomicList', 'list'), { atomicList: [], list: [] })
  const others = { text: 'x', map: null, set: null, items: null, free: 'a', nested: { inner: {} } }
  assert.deepEqual(removed(others, ...Object.keys(others)), others)
})

test('applying the same again changes nothing, not even a time', () => {
  // Empty lists own nothing, and empty labels are not kept: with them a second apply does make a difference.
  const full = applied.filter(one => !/\[\]|"labels":\{\}/.test(JSON.stringify(one)))
  check(fc.tuple(steps, full), ([before, one]) => {
    const { write, live } = history(before)
    const forced = { ...asWrite(one, live()), force: true }
    const first = write(forced).object
    assert.deepEqual(write(forced).object, first)
  })
})

test('an apply that is not forced takes nothing from others', () => {
  check(fc.tuple(steps, applied), ([before, one]) => {
    const { write, live } = history(before)
    const old = live()
    const answer = write({ ...asWrite(one, old), force: false })
    if (answer.code === 409) return assert.deepEqual(live(), old, 'a conflict changes nothing')
    for (const [key, owner] of ownersOf(old)) {
      if (owner.manager === one.manager && owner.operation === 'Apply') continue
      const lost = difference(owner.fields, ownersOf(answer.object).get(key)?.fields ?? emptySet)
      // Whoever applied an item or a key alone takes it away whole, with what others have set in it.
      const gone = old ? compare(schema, old, answer.object).removed : emptySet
      assert.ok(isEmpty(difference(lost, gone)), [...pathsOf(lost)].map(describePath).join(' '))
      assert.ok(
        [...pathsOf(lost)].every(path => path.some(element => !element.startsWith('f:') || isKey(path, element))),
      )
    }
  })
})

/** Whether an element of a path names a key of a map. */
const isKey = (path: readonly string[], element: string): boolean =>
  ['f:deepMap', 'f:map', 'f:free', 'f:labels'].some(
    map => path.indexOf(map) >= 0 && path.indexOf(map) < path.lastIndexOf(element),
  )

test('a manager owns what it applied, and the object says so', () => {
  check(fc.tuple(steps, applied), ([before, one]) => {
    const { write, live } = history(before)
    const { sent } = asWrite(one, live())
    const { object } = write({ ...asWrite(one, live()), force: true })
    const own = [...ownersOf(object).values()].find(
      ({ manager, operation, subresource }) => manager === one.manager && operation === 'Apply' && !subresource,
    )
    const wanted = fieldsOf(schema, {
      spec: sent.spec,
      ...(sent.metadata.labels && { metadata: { labels: sent.metadata.labels } }),
    })
    assert.deepEqual(encodeFields(own?.fields ?? emptySet), encodeFields(wanted))
    assert.ok(isEmpty(compare(schema, { spec: sent.spec }, { spec: object!.spec }).modified))
  })
})

test('what only one manager applied goes when it applies nothing any more', () => {
  check(applied, one => {
    const { write, live } = history([{ do: 'apply', manager: 'base', version: 'v1', spec: { text: 'a' } }])
    const before = live()
    write({ ...asWrite({ ...one, manager: 'guest' }, before), force: true })
    const spec = (before!.spec as { text: string }).text
    write({ ...asWrite({ do: 'apply', manager: 'guest', version: one.version }, live()), force: true })
    const left = [...ownersOf(live()).values()].map(({ manager }) => manager)
    assert.ok(!left.includes('guest'))
    assert.equal(spec, 'a')
  })
})
