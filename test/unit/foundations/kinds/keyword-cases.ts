/** The keywords of schemas that no built-in kind uses, each on a field of its own; answers in `keywords.recorded.json`. */
import type { StructuralSchema } from '../../../../lib/foundations/kinds/schema/schema.ts'

export const fields: Readonly<Record<string, StructuralSchema>> = {
  either: { 'x-kubernetes-int-or-string': true },
  number: { type: 'number', minimum: 1.5, maximum: 10, exclusiveMaximum: true },
  halves: { type: 'number', multipleOf: 0.5 },
  integer: { type: 'integer', minimum: 2, exclusiveMinimum: true, maximum: 100, multipleOf: 5 },
  small: { type: 'integer', format: 'int32' },
  long: { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z]+$' },
  list: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string' } },
  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
  map: { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: { type: 'integer' } },
  any: { type: 'string', anyOf: [{ pattern: '^a' }, { pattern: 'z$' }] },
  one: {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    oneOf: [{ required: ['a'] }, { required: ['b'] }],
  },
  all: { type: 'string', allOf: [{ minLength: 2 }, { pattern: '^a' }] },
  not: { type: 'string', not: { enum: ['x'] } },
  nullable: { type: 'string', nullable: true, enum: ['a', null] },
  numbers: { type: 'integer', enum: [1, 2] },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: { type: 'string' } } },
  date: { type: 'string', format: 'date' },
  dateTime: { type: 'string', format: 'date-time' },
  duration: { type: 'string', format: 'duration' },
  byte: { type: 'string', format: 'byte' },
  email: { type: 'string', format: 'email' },
  ipv4: { type: 'string', format: 'ipv4' },
  ipv6: { type: 'string', format: 'ipv6' },
  cidr: { type: 'string', format: 'cidr' },
  mac: { type: 'string', format: 'mac' },
  uuid: { type: 'string', format: 'uuid' },
  uri: { type: 'string', format: 'uri' },
  hostname: { type: 'string', format: 'hostname' },
  rule: {
    type: 'object',
    properties: { min: { type: 'integer' }, max: { type: 'integer' }, fixed: { type: 'string', maxLength: 10 } },
    'x-kubernetes-validations': [
      { rule: 'self.min <= self.max', messageExpression: 'self.min > 5 ? "far above max" : "above max"' },
      {
        rule: 'self.fixed == oldSelf.fixed',
        message: 'fixed is immutable',
        reason: 'FieldValueForbidden',
        fieldPath: '.fixed',
      },
    ],
  },
}

export const schema: StructuralSchema = { type: 'object', properties: { spec: { type: 'object', properties: fields } } }

const of = (field: string, ...values: unknown[]) => values.map(value => ({ [field]: value }))

/** Values of `spec`. */
export const specs: readonly Readonly<Record<string, unknown>>[] = [
  ...of('either', 1, 'a', 1.5, true),
  ...of('number', 2, 2.5, 1.25, 10, 9.7, 'x'),
  ...of('halves', 2.5, 2.7),
  ...of('integer', 5, 2, 105, 7, 5.5),
  ...of('small', 2147483647, 2147483648, -2147483649),
  ...of('long', 'ab', 'a', 'abcde', 'AB', 'éé'),
  ...of('list', ['a'], [], ['a', 'b', 'c', 'd'], ['a', 1]),
  ...of('set', ['a', 'b'], ['a', 'b', 'a', 'a']),
  ...of('map', { a: 1 }, {}, { a: 1, b: 2, c: 3 }, { a: 'x' }),
  ...of('any', 'a', 'z', 'b'),
  ...of('one', { a: 'x' }, {}, { a: 'x', b: 'y' }),
  ...of('all', 'ab', 'a', 'b', 'bb'),
  ...of('not', 'y', 'x'),
  ...of('nullable', null, 'a', 'b'),
  ...of('numbers', 1, 3),
  ...of('free', { known: 'x', other: { a: null } }, { known: 1 }),
  ...of('date', '2026-01-02', '2026-13-02', 'x'),
  ...of('dateTime', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05.123+01:00', '2026-01-02 03:04:05Z', '2026-01-02', ''),
  ...of('duration', '1h30m', '22 ns', '5', 'x'),
  ...of('byte', 'YQ==', 'YQ', '!!'),
  ...of('email', 'a@b.c', 'a', 'A <a@b.c>'),
  ...of('ipv4', '1.2.3.4', '1.2.3', '::1'),
  ...of('ipv6', '::1', '1.2.3.4', 'x'),
  ...of('cidr', '10.0.0.0/8', '10.0.0.0', '::/0', '10.0.0.0/33'),
  ...of('mac', '01:23:45:67:89:ab', '01-23-45-67-89-ab', 'x'),
  ...of('uuid', '123e4567-e89b-12d3-a456-426614174000', '123e4567', 'x'),
  ...of('uri', 'https://a.b/c', '/a', 'a b', 'x'),
  ...of('hostname', 'a', 'a-1.example.com', 'a.b', 'a_b', '-a', ''),
  ...of('rule', { min: 1, max: 2 }, { min: 3, max: 2 }, { min: 9, max: 2 }, { min: 1 }),
]

/** Changes: what a rule that compares with the old value says. */
export const changes: readonly (readonly [before: unknown, after: unknown])[] = [
  [{ rule: { min: 1, max: 2, fixed: 'a' } }, { rule: { min: 1, max: 2, fixed: 'b' } }],
  [{ rule: { min: 1, max: 2, fixed: 'a' } }, { rule: { min: 2, max: 2, fixed: 'a' } }],
]
