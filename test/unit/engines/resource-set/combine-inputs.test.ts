import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { combineInputs, type InputSource, inputsOf } from '../../../../lib/engines/resource-set/combine-inputs.ts'
import { inputKey } from '../../../../lib/engines/resource-set/input-key.ts'
import { adler32 } from '../../../../lib/foundations/go/adler32.ts'
import type { InputSet, ResourceSetSpec } from '../../../../lib/foundations/kinds/resource-set.ts'

const inline = (...inputs: InputSet[]): InputSource => ({
  kind: 'ResourceSet',
  name: 'my-set',
  namespace: 'apps',
  inputs,
})
const provided = (name: string, ...inputs: InputSet[]): InputSource => ({
  kind: 'ResourceSetInputProvider',
  name,
  namespace: 'apps',
  inputs,
})
const of = (kind: InputSource['kind'], name: string) => ({
  apiVersion: 'fluxcd.controlplane.io/v1',
  kind,
  name,
  namespace: 'apps',
})
const permuted = (sources: InputSource[], includeEmptyProviders?: boolean) =>
  combineInputs({ name: 'Permute', ...(includeEmptyProviders !== undefined && { includeEmptyProviders }) }, sources)

const set = (spec: Partial<ResourceSetSpec>) => ({
  apiVersion: 'fluxcd.controlplane.io/v1',
  kind: 'ResourceSet',
  metadata: { name: 'my-set', namespace: 'apps' },
  spec: spec as ResourceSetSpec,
})
const provider = (name: string, ...exportedInputs: InputSet[]) => ({
  apiVersion: 'fluxcd.controlplane.io/v1',
  kind: 'ResourceSetInputProvider',
  metadata: { name, namespace: 'apps' },
  status: { exportedInputs },
})

test('RS-016 RS-017 puts inline inputs first, then those of providers by name', () => {
  const found = inputsOf(set({ inputs: [{ x: 1 }, { x: 2 }] }), [provider('b', { x: 4 }), provider('a', { x: 3 })])
  assert.deepEqual(
    found.map(({ x }) => x),
    [1, 2, 3, 4],
  )
})

test('RS-013 a provider that is found twice contributes once', () => {
  const twice = provider('a', { x: 1 })
  assert.equal(inputsOf(set({}), [twice, twice]).length, 1)
})

test('RS-014 a provider that has exported nothing contributes nothing', () => {
  const { status, ...fresh } = provider('new')
  assert.deepEqual(inputsOf(set({}), [fresh, provider('empty')]), [])
})

test('RS-032 RS-033 RS-034 every set names the object that gave it', () => {
  const [own, other] = combineInputs(undefined, [inline({ x: 1 }), provided('p', { x: 2 })])
  assert.deepEqual(own!.provider, of('ResourceSet', 'my-set'))
  assert.deepEqual(other!.provider, of('ResourceSetInputProvider', 'p'))
})

test("RS-035 a set's own field `provider` gives way, its id stays", () => {
  const [found] = combineInputs(undefined, [inline({ id: 'mine', provider: { name: 'fake' } })])
  assert.deepEqual(found, { id: 'mine', provider: of('ResourceSet', 'my-set') })
})

test('RS-031 inline sets get no id of their own, as recorded', () => {
  const [found] = combineInputs(undefined, [inline({ x: 1 })])
  assert.equal(Object.hasOwn(found!, 'id'), false)
})

test('RS-018 RS-020 RS-027 RS-036 Permute combines each with each, under keys that name where they come from', () => {
  const found = permuted([inline({ n: 'a' }, { n: 'b' }), provided('git-tag', { sha: 1 }, { sha: 2 }, { sha: 3 })])
  assert.equal(found.length, 6)
  assert.deepEqual(found[0], {
    id: String(adler32('my_set=0/git_tag=0')),
    my_set: { n: 'a', provider: of('ResourceSet', 'my-set') },
    git_tag: { sha: 1, provider: of('ResourceSetInputProvider', 'git-tag') },
  })
  assert.equal(permuted([provided('one', { a: 1 }, { a: 2 })]).length, 2)
})

test('RS-030 the id of a combination is its own, and stays while the sets stay where they are', () => {
  const combine = () => permuted([inline({ n: 1 }, { n: 2 }), provided('p', { s: 1 }, { s: 2 })]).map(({ id }) => id)
  assert.equal(new Set(combine()).size, 4)
  assert.deepEqual(combine(), combine())
})

test('RS-021 RS-022 RS-023 RS-024 a key is lower case, with words joined by one underscore', () => {
  assert.equal(inputKey('MyProvider'), 'myprovider')
  assert.equal(inputKey('my prov-ider.x'), 'my_prov_ider_x')
  assert.equal(inputKey('prö€v'), 'prv')
  assert.equal(inputKey('--My--Prov..1-'), 'my_prov_1')
})

test('RS-025 of two providers with one key the later one counts, as recorded', () => {
  const [found, ...rest] = permuted([provided('my-prov', { v: 'p' }), provided('my.prov', { v: 'q' })])
  assert.equal((found!.my_prov as InputSet).v, 'q')
  assert.deepEqual(rest, [])
})

test('RS-025 of two providers with one key the later counts, in the number of sets and in their ids', () => {
  const later = provided('my.prov', { v: 'q' }, { v: 'r' })
  const found = permuted([provided('my-prov', { v: 'p' }), later])
  assert.deepEqual(
    found.map(({ my_prov }) => (my_prov as InputSet).v),
    ['q', 'r', 'q', 'r'],
  )
  const ids = new Set(found.map(({ id }) => id))
  assert.equal(ids.size, 4)
  assert.ok(permuted([later]).every(({ id }) => !ids.has(id)))
})

test('RS-013 providers of one name in two namespaces are two', () => {
  const found = (namespace: string, v: string) => {
    const { metadata, ...rest } = provider('p', { v })
    return { ...rest, metadata: { ...metadata, namespace } }
  }
  const both = [found('a', '1'), found('b', '2')]
  assert.deepEqual(
    inputsOf(set({}), both).map(({ v }) => v),
    ['1', '2'],
  )
  const permuting = set({ inputStrategy: { name: 'Permute' } })
  const [one, ...rest] = inputsOf(permuting, both)
  assert.deepEqual([(one!.p as InputSet).v, rest], ['2', []])
  assert.notEqual(one!.id, inputsOf(permuting, both.slice(1))[0]!.id)
})

test('RS-026 more than 10,000 combinations are refused before they are made', () => {
  const many = (count: number) => Array.from({ length: count }, (_, a) => ({ a }))
  assert.equal(permuted([inline(...many(100)), provided('p', ...many(100))]).length, 10_000)
  assert.throws(
    () => permuted([inline(...many(100)), provided('p', ...many(101))]),
    /failed to get inputs from ResourceSetInputProvider\/p: adding provider 'p' with 101 inputs would exceed the maximum allowed permutations. max: 10000, got: 10100/,
  )
})

test('RS-028 an empty provider is omitted, unless empty ones are included', () => {
  const sources = [provided('full', { a: 1 }, { a: 2 }), provided('empty')]
  assert.equal(permuted(sources).length, 2)
  assert.deepEqual(permuted(sources, true), [])
})

test('RS-019 an unknown strategy is refused', () => {
  assert.throws(() => combineInputs({ name: 'Merge' as never }, []), /unknown input strategy: 'Merge'/)
})

test('the last of the sources varies fastest', () => {
  const found = permuted([provided('a', { v: 1 }, { v: 2 }), provided('b', { v: 3 }, { v: 4 })])
  assert.deepEqual(
    found.map(({ a, b }) => [(a as InputSet).v, (b as InputSet).v]),
    [
      [1, 3],
      [1, 4],
      [2, 3],
      [2, 4],
    ],
  )
})

test('a source without a namespace names an empty one', () => {
  const { namespace, ...metadata } = provider('p', { x: 1 }).metadata
  const [found] = inputsOf(set({}), [{ ...provider('p', { x: 1 }), metadata }])
  assert.deepEqual(found!.provider, { ...of('ResourceSetInputProvider', 'p'), namespace: '' })
})

test('ids are Adler-32 sums, of texts of any length', () => {
  // zlib's format ends in the sum.
  const sumOf = (text: string) => deflateSync(text).subarray(-4).readUInt32BE()
  for (const text of ['', 'a', 'Wikipedia', 'ü'.repeat(1900), '\u{10ffff}'.repeat(5000)])
    assert.equal(adler32(text), sumOf(text), text.slice(0, 10))
})

test('providers come in the order of their names, in whatever order they are found', () => {
  const ordered = (...found: string[]) =>
    inputsOf(
      set({}),
      found.map(name => provider(name, { name })),
    ).map(({ name }) => name)
  assert.deepEqual(ordered('c', 'a', 'b'), ['a', 'b', 'c'])
  assert.deepEqual(ordered('a', 'b', 'c'), ['a', 'b', 'c'])
})

test('a ResourceSet without inputs of its own is no empty source, and without any source there is no combination', () => {
  const inputStrategy = { name: 'Permute', includeEmptyProviders: true } as const
  assert.equal(inputsOf(set({ inputStrategy }), [provider('a', { x: 1 })]).length, 1)
  assert.deepEqual(permuted([]), [])
  assert.deepEqual(permuted([provided('empty')]), [])
})
