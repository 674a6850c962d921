/** A kind with every sort of list and map that ownership is tracked through, and random objects of it. */
import fc from 'fast-check'
import type { Kind } from '../../../../lib/foundations/kinds/kind.ts'
import type { StructuralSchema } from '../../../../lib/foundations/kinds/schema/schema.ts'

const text: StructuralSchema = { type: 'string' }
const texts: StructuralSchema = { type: 'array', items: text }

export const thingSchema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        text,
        count: { type: 'integer' },
        list: texts,
        atomicList: { ...texts, 'x-kubernetes-list-type': 'atomic' },
        set: { ...texts, 'x-kubernetes-list-type': 'set' },
        items: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'port'],
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: text,
              port: { type: 'integer', default: 80 },
              value: text,
              tags: { type: 'object', additionalProperties: text },
              args: { ...texts, 'x-kubernetes-list-type': 'set' },
            },
          },
        },
        map: { type: 'object', additionalProperties: text },
        deepMap: {
          type: 'object',
          additionalProperties: { type: 'object', properties: { a: text, b: text } },
        },
        atomicMap: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text },
        nested: {
          type: 'object',
          properties: { a: text, inner: { type: 'object', properties: { b: text, c: text } } },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        either: { 'x-kubernetes-int-or-string': true },
        maybe: { type: 'object', nullable: true, additionalProperties: text },
        maybeSet: { ...texts, nullable: true, 'x-kubernetes-list-type': 'set' },
        maybeAtomic: {
          type: 'object',
          nullable: true,
          'x-kubernetes-map-type': 'atomic',
          additionalProperties: text,
        },
        maybeText: { type: 'string', nullable: true },
      },
    },
    status: { type: 'object', properties: { phase: text, seen: { type: 'object', additionalProperties: text } } },
  },
}

export const thing: Kind = {
  group: 'test.keelson.dev',
  kind: 'Thing',
  plural: 'things',
  singular: 'thing',
  shortNames: [],
  categories: [],
  namespaced: true,
  hasGeneration: true,
  versions: [
    { name: 'v1', storage: true, status: true, schema: thingSchema, columns: [] },
    { name: 'v2', storage: false, status: true, schema: thingSchema, columns: [] },
  ],
}

/** One request; `spec`, `labels` and `status` are what it sends of the object. */
export interface Step {
  readonly do: 'apply' | 'update' | 'merge' | 'apply status' | 'merge status'
  readonly manager: string
  readonly version: 'v1' | 'v2'
  readonly force?: boolean
  readonly spec?: unknown
  readonly labels?: unknown
  readonly status?: unknown
}

const short = fc.constantFrom('a', 'b', 'c')
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const dictionary = fc.dictionary(short, short, { maxKeys: 3, noNullPrototype: true })
const subset = fc.uniqueArray(short, { maxLength: 3 })

const record = (properties: Record<string, fc.Arbitrary<unknown>>, nulls: boolean): fc.Arbitrary<unknown> =>
  fc
    .record(
      Object.fromEntries(
        Object.entries(properties).map(([name, value]) => [
          name,
          some(nulls ? fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) }) : value),
        ]),
      ),
    )
    .map(object => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)))

const item = fc
  .record({
    name: fc.constantFrom('x', 'y', 'z'),
    port: some(fc.constantFrom(80, 81)),
    rest: record({ value: short, tags: dictionary, args: subset }, false),
  })
  .map(({ name, port, rest }) => ({ name, ...(port && { port }), ...(rest as object) }))

const spec = (nulls: boolean) =>
  record(
    {
      text: short,
      count: fc.integer({ min: 0, max: 2 }),
      list: subset,
      atomicList: subset,
      set: subset,
      items: fc.uniqueArray(item, {
        maxLength: 4,
        selector: ({ name, port }: { name: string; port?: number }) => `${name}${port ?? 80}`,
      }),
      map: dictionary,
      deepMap: fc.dictionary(short, record({ a: short, b: short }, nulls), { maxKeys: 2, noNullPrototype: true }),
      atomicMap: dictionary,
      nested: record({ a: short, inner: record({ b: short, c: short }, nulls) }, nulls),
      free: record({ a: short, l: subset, o: dictionary }, nulls),
      either: fc.oneof(short, fc.integer({ min: 0, max: 2 })),
    },
    nulls,
  )

const status = record({ phase: short, seen: dictionary }, false)
const who = { manager: fc.constantFrom('one', 'two', 'three'), version: fc.constantFrom('v1', 'v1', 'v1', 'v2') }

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('apply'),
      ...who,
      force: fc.boolean(),
      spec: spec(false),
      labels: some(dictionary),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('update'), ...who, spec: spec(false), labels: dictionary }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('merge'), ...who, spec: spec(true), labels: some(dictionary) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('apply status'), ...who, force: fc.boolean(), status }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('merge status'), ...who, status }) },
) as fc.Arbitrary<Step>

export const steps = fc.array(step, { minLength: 2, maxLength: 8, size: 'max' })
