import type { StructuralSchema } from '../../../../../lib/foundations/kinds/schema/schema.ts'

const text = (maxLength?: number): StructuralSchema => ({
  type: 'string',
  ...(maxLength !== undefined && { maxLength }),
})

/** What most rules are about. */
export const schema: StructuralSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: text(63),
    text: text(),
    short: text(5),
    none: text(0),
    mode: { type: 'string', enum: ['fast', 'slow', 'slower'] },
    count: { type: 'integer' },
    other: { type: 'integer' },
    ratio: { type: 'number' },
    on: { type: 'boolean' },
    when: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    wait: { type: 'string', format: 'duration' },
    raw: { type: 'string', format: 'byte', maxLength: 100 },
    port: { 'x-kubernetes-int-or-string': true },
    words: { type: 'array', maxItems: 10, items: text(20) },
    others: { type: 'array', maxItems: 4, items: text(7) },
    many: { type: 'array', items: text() },
    numbers: { type: 'array', maxItems: 30, items: { type: 'integer' } },
    flags: { type: 'array', maxItems: 3, items: { type: 'boolean' } },
    raws: { type: 'array', maxItems: 6, items: { type: 'string', format: 'byte', maxLength: 40 } },
    ratios: { type: 'array', maxItems: 8, items: { type: 'number' } },
    table: { type: 'array', maxItems: 9, items: { type: 'array', maxItems: 11, items: text(13) } },
    labels: { type: 'object', maxProperties: 8, additionalProperties: text(50) },
    counts: { type: 'object', maxProperties: 7, additionalProperties: { type: 'integer' } },
    groups: {
      type: 'object',
      maxProperties: 5,
      additionalProperties: { type: 'array', maxItems: 6, items: text(9) },
    },
    parts: {
      type: 'array',
      maxItems: 5,
      items: {
        type: 'object',
        required: ['key'],
        properties: { key: text(16), value: { type: 'integer' }, tags: { type: 'array', maxItems: 3, items: text(4) } },
      },
    },
    inner: {
      type: 'object',
      properties: { deep: text(12), deeper: { type: 'object', properties: { deepest: text(8) } } },
    },
  },
}

/** What the rules are evaluated for. */
export const data = {
  name: 'a-name-of-some-length-0123456789',
  text: 'The quick brown fox jumps over the lazy dog. '.repeat(9),
  short: 'é😀',
  none: '',
  mode: 'slow',
  count: 7,
  other: 3,
  ratio: 0.5,
  on: true,
  when: '2026-01-02T03:04:05Z',
  day: '2026-01-02',
  wait: '90s',
  raw: 'aGVsbG8gd29ybGQsIGhlbGxvIQ==',
  port: 'http',
  words: ['alpha', 'beta', 'gamma-delta-epsilon', '', 'ω'],
  others: ['beta', 'x'],
  many: ['a'.repeat(37), 'b'.repeat(101)],
  numbers: [3, 1, 2, 40, 5],
  flags: [true, false],
  raws: ['aGk=', 'aGVsbG8gd29ybGQ='],
  ratios: [0.5, 1.5],
  table: [['a', 'bb'], [], ['ccc', 'dddd', 'eeeee']],
  labels: { app: 'web', tier: 'a-rather-long-value-of-a-label', z: '' },
  counts: { a: 1, b: 2 },
  groups: { one: ['a', 'b'], two: [] },
  parts: [
    { key: 'first', value: 1, tags: ['x', 'yy'] },
    { key: 'second-longer', value: 5 },
  ],
  inner: { deep: 'deep-inside', deeper: { deepest: 'abyss' } },
}

type Shaped = readonly [schema: StructuralSchema, rules: readonly string[], isRoot?: boolean]

const known: Readonly<Record<string, Shaped>> = {
  'a text': [text(), ["self.contains('abcdefghijklmnopqrstuvwxyz')", "self == 'a'", 'self == oldSelf']],
  'a text of so many characters at most': [text(1000), ['self.matches(self)', 'self == oldSelf']],
  'a text of no characters': [text(0), ['self.matches(self)', 'self == oldSelf']],
  'one of some words': [
    { type: 'string', enum: ['a', 'ein längeres Wort 😀', 'b'] },
    ['self == oldSelf', 'self.matches(self)'],
  ],
  'one of some words, or none': [
    { type: 'string', nullable: true, enum: ['abc', null, 'ab', 5] },
    ['self == oldSelf', 'self.matches(self)'],
  ],
  'one of no words': [{ type: 'string', enum: [] }, ['self == oldSelf', 'self.matches(self)']],
  'one of some words, of so many characters': [
    { type: 'string', enum: ['abc', 'abcdefghij'], maxLength: 500 },
    ['self == oldSelf', 'self.matches(self)'],
  ],
  bytes: [{ type: 'string', format: 'byte' }, ['self == oldSelf', "string(self) == 'a'"]],
  'bytes of so many': [{ type: 'string', format: 'byte', maxLength: 77 }, ['self == oldSelf', "string(self) == 'a'"]],
  'a date': [{ type: 'string', format: 'date' }, ['self == oldSelf', "string(self) == 'a'", 'self < oldSelf']],
  'a time': [
    { type: 'string', format: 'date-time', maxLength: 5 },
    ['self == oldSelf', "string(self) == 'a'", 'self < oldSelf'],
  ],
  'a duration': [{ type: 'string', format: 'duration' }, ['self == oldSelf', "string(self) == 'a'", 'self < oldSelf']],
  'a text of another format': [{ type: 'string', format: 'ipv4' }, ['self == oldSelf', 'self.matches(self)']],
  'an integer or text': [
    { 'x-kubernetes-int-or-string': true },
    ['self == oldSelf', 'self == 5', "string(self) == 'a'", 'self == dyn(oldSelf)'],
  ],
  'an integer or text of so many characters': [
    { 'x-kubernetes-int-or-string': true, maxLength: 90 },
    ['self == oldSelf', "string(self) == 'a'"],
  ],
  numbers: [{ type: 'number' }, ['self == oldSelf', 'self < 1.5']],
  integers: [{ type: 'integer' }, ['self == oldSelf', 'self < 1', 'self + 1 > 2']],
  booleans: [{ type: 'boolean' }, ['self == oldSelf', 'self', '!self']],
  'a map of texts': [
    { type: 'object', additionalProperties: text() },
    ['self.all(k, true)', 'self == oldSelf', "self.all(k, self[k] == 'abc')", "self.all(k, k == 'abc')"],
  ],
  'a map of so many': [
    { type: 'object', maxProperties: 4, additionalProperties: text(5) },
    ['self.all(k, true)', 'self == oldSelf', "self.all(k, self[k].matches('a+'))", "self.exists(k, k.matches('a+'))"],
  ],
  'a map of none': [
    { type: 'object', maxProperties: 0, additionalProperties: text(5) },
    ['self.all(k, true)', 'self == oldSelf'],
  ],
  'a map of objects': [
    { type: 'object', additionalProperties: { type: 'object', required: ['a'], properties: { a: text() } } },
    ['self.all(k, true)', "self.all(k, self[k].a == 'abcdefghijklmnopqrstuvwxyz')"],
  ],
  'an object of no known fields': [{ type: 'object' }, ['self == oldSelf']],
  'an embedded resource below': [
    {
      type: 'object',
      properties: {
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        plain: {
          type: 'object',
          properties: { kind: text(4), metadata: { type: 'object', properties: { name: text(9) } } },
        },
      },
    },
    [
      "self.template.kind.matches('a+')",
      "self.template.apiVersion == 'v1'",
      "self.template.metadata.name.matches('a+')",
      "self.template.metadata.generateName.contains('abcdefghijkl')",
      "self.plain.kind.matches('a+')",
      "self.plain.metadata.name.matches('a+')",
    ],
  ],
  'a whole resource': [
    { type: 'object', properties: { spec: { type: 'object', properties: { a: text(3) } } } },
    [
      "self.kind.matches('a+')",
      "self.apiVersion == 'abcdef'",
      "self.apiVersion.matches('a+')",
      "self.kind < dyn('')",
      "self.metadata.name.matches('a+')",
      "self.metadata.generateName.matches('a+')",
      "self.spec.a.matches('a+')",
    ],
    true,
  ],
  'a whole resource that says what its fields are': [
    { type: 'object', properties: { kind: text(3), metadata: { type: 'object', properties: { name: text(5) } } } },
    ["self.kind.matches('a+')", "self.metadata.name.matches('a+')"],
    true,
  ],
}

const items: Readonly<Record<string, StructuralSchema>> = {
  text: text(),
  'short text': text(3),
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  byte: { type: 'string', format: 'byte' },
  date: { type: 'string', format: 'date' },
  'date-time': { type: 'string', format: 'date-time' },
  duration: { type: 'string', format: 'duration' },
  enum: { type: 'string', enum: ['abc', 'defgh'] },
  'int or string': { 'x-kubernetes-int-or-string': true },
  list: { type: 'array', items: { type: 'integer' } },
  map: { type: 'object', additionalProperties: { type: 'integer' } },
  'empty object': { type: 'object' },
  'object with optional fields': { type: 'object', properties: { a: text(), b: { type: 'integer' } } },
  'object with required fields': {
    type: 'object',
    required: ['a', 'longer', 'on', 'list', 'map', 'when', 'wait', 'day', 'none', 'unknown'],
    properties: {
      a: text(),
      longer: { type: 'integer' },
      on: { type: 'boolean' },
      list: { type: 'array', items: text() },
      map: { type: 'object', additionalProperties: text() },
      when: { type: 'string', format: 'date-time' },
      wait: { type: 'string', format: 'duration' },
      day: { type: 'string', format: 'date' },
      unknown: { 'x-kubernetes-preserve-unknown-fields': true },
      optional: text(),
    },
  },
  'object with a default': {
    type: 'object',
    required: ['a', 'b'],
    properties: {
      a: { type: 'string', default: 'x' },
      b: { type: 'object', required: ['c'], properties: { c: { type: 'integer' } } },
    },
  },
}

const lists: Readonly<Record<string, Shaped>> = Object.fromEntries(
  Object.entries(items).flatMap(([title, item]) => [
    [`a list of: ${title}`, [{ type: 'array', items: item }, ['self.all(a, true)']]],
    [`a map of: ${title}`, [{ type: 'object', additionalProperties: item }, ['self.all(a, true)']]],
    [`so many of: ${title}`, [{ type: 'array', maxItems: 3, items: item }, ['self.all(a, a == oldSelf[0])']]],
  ]),
)

/** Shapes of data, of which the rules show how large the data may be, and how small. */
export const shapes: Readonly<Record<string, Shaped>> = { ...known, ...lists }
