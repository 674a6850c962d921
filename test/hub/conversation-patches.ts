/** Patches by chance, from a fixed seed: several managers change objects of a user-defined kind, and ConfigMaps, in every way. */
import { seededRandom } from '../e2e/seeded-random.ts'
import type { Answer } from './answers.ts'
import type { Exchange } from './exchange.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const gadgets = '/apis/patched.example.com/v1/namespaces/side/gadgets'
const configMaps = '/api/v1/namespaces/side/configmaps'
/** Patches that one object sees. */
const length = 12

const text = { type: 'string' }
const part = {
  type: 'object',
  required: ['name'],
  properties: {
    name: text,
    weight: { type: 'integer' },
    tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  },
}
const properties = {
  one: text,
  two: { type: 'integer', default: 2 },
  map: { type: 'object', additionalProperties: text },
  deep: { type: 'object', properties: { a: text, b: { type: 'object', properties: { c: text } } } },
  atom: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text },
  set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  parts: { type: 'array', items: part, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  list: { type: 'array', items: { type: 'integer' } },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
}
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.patched.example.com' },
  spec: {
    group: 'patched.example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
      },
    ],
  },
}

const { below, pick } = seededRandom(20261121)
const chance = (share: number) => below(1000) < share * 1000
const some = <T>(items: readonly T[]): T[] => items.filter(() => chance(0.4))
const word = () => pick(['x', 'y', 'z'])
const number = () => below(5)
const mapOf = (value: () => unknown) => Object.fromEntries(some(['k1', 'k2', 'k3']).map(key => [key, value()]))

const values: Readonly<Record<string, () => unknown>> = {
  one: word,
  two: number,
  map: () => mapOf(word),
  deep: () => ({ ...(chance(0.6) && { a: word() }), ...(chance(0.6) && { b: chance(0.7) ? { c: word() } : {} }) }),
  atom: () => mapOf(word),
  set: () => some(['s', 't', 'u']),
  parts: () =>
    some(['p', 'q', 'r']).map(name => ({
      name,
      ...(chance(0.5) && { weight: number() }),
      ...(chance(0.4) && { tags: some(['m', 'n']) }),
    })),
  list: () => some([1, 2, 3]),
  free: () => ({ ...mapOf(number), ...(chance(0.4) && { inner: [mapOf(word)] }) }),
}

const spec = () => Object.fromEntries(some(Object.keys(values)).map(name => [name, values[name]!()]))
const metadata = () => (chance(0.3) ? { labels: mapOf(word) } : {})
const withNulls = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, chance(0.15) ? null : withNulls(item)]))
}
const operation = () => {
  const [name, make] = pick(Object.entries(values))
  return pick([
    () => ({ op: 'add', path: `/spec/${name}`, value: make() }),
    () => ({ op: 'replace', path: `/spec/${name}`, value: make() }),
    () => ({ op: 'remove', path: `/spec/${name}` }),
    () => ({ op: 'add', path: '/spec/set/-', value: word() }),
    () => ({ op: 'copy', from: '/spec/one', path: '/spec/map/copied' }),
    () => ({ op: 'move', from: '/spec/list/0', path: '/spec/list/-' }),
    () => ({ op: 'test', path: '/spec/two', value: number() }),
  ])()
}

const manager = () => `fieldManager=${pick(['ann', 'bob', 'eve'])}`
const types = {
  merge: { 'content-type': 'application/merge-patch+json' },
  json: { 'content-type': 'application/json-patch+json' },
  strategic: { 'content-type': 'application/strategic-merge-patch+json' },
  apply: { 'content-type': 'application/apply-patch+yaml' },
}

const gadgetPatch = (index: number): Exchange => {
  const name = `g${Math.floor(index / length)}`
  const way = index % length === 0 ? 'apply' : pick(['merge', 'json', 'apply', 'apply', 'apply'] as const)
  const applied = {
    apiVersion: 'patched.example.com/v1',
    kind: 'Gadget',
    metadata: { name: 'g', ...metadata() },
    spec: spec(),
  }
  const bodies = {
    merge: () => withNulls({ metadata: metadata(), spec: spec() }),
    json: () => Array.from({ length: 1 + below(2) }, operation),
    apply: () => applied,
  }
  const force = way === 'apply' && chance(0.5) ? '&force=true' : ''
  return {
    title: `patch ${index} of a gadget (${way}${force && ', forced'})`,
    method: 'PATCH',
    path: `${gadgets}/${name}?${manager()}${force}`,
    body: bodies[way](),
    headers: types[way],
  }
}

const configMapPatch = (index: number): Exchange => {
  const name = `patched${Math.floor(index / length)}`
  const way = index % length === 0 ? 'apply' : pick(['merge', 'strategic', 'apply', 'apply'] as const)
  const data = mapOf(word)
  const force = way === 'apply' && chance(0.5) ? '&force=true' : ''
  const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata() }, data }
  const body = way === 'apply' ? applied : withNulls({ metadata: metadata(), data })
  return {
    title: `patch ${index} of a ConfigMap (${way}${force && ', forced'})`,
    method: 'PATCH',
    path: `${configMaps}/${name}?${manager()}${force}`,
    body,
    headers: types[way],
  }
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const isThere = ({ status }: Answer): boolean => status === 200

export const patchConversation: readonly Exchange[] = [
  { title: 'a definition to be patched', method: 'POST', path: `${definitions}?fieldManager=maker`, body: definition },
  { title: 'gadgets', method: 'GET', path: gadgets, until: isThere },
  ...times(18 * length, gadgetPatch),
  ...times(6 * length, configMapPatch),
]
