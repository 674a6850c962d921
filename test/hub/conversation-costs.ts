/** Definitions whose rules may cost too much: each estimate must be Kubernetes' own, to six digits. */
import { estimatedCost } from '../../lib/engines/cel/cost/estimate.ts'
import { shapeOf } from '../../lib/engines/cel/cost/shape.ts'
import { parse } from '../../lib/engines/cel/syntax.ts'
import type { StructuralSchema } from '../../lib/foundations/kinds/schema/schema.ts'
import type { Answer } from './answers.ts'
import type { Exchange } from './exchange.ts'

const data: StructuralSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 63 },
    text: { type: 'string' },
    mode: { type: 'string', enum: ['fast', 'slow', 'slower'] },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    on: { type: 'boolean' },
    when: { type: 'string', format: 'date-time' },
    wait: { type: 'string', format: 'duration' },
    raw: { type: 'string', format: 'byte', maxLength: 100 },
    port: { 'x-kubernetes-int-or-string': true },
    words: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 20 } },
    many: { type: 'array', items: { type: 'string' } },
    numbers: { type: 'array', maxItems: 30, items: { type: 'integer' } },
    labels: { type: 'object', maxProperties: 8, additionalProperties: { type: 'string', maxLength: 50 } },
    parts: {
      type: 'array',
      maxItems: 5,
      items: {
        type: 'object',
        required: ['key'],
        properties: { key: { type: 'string', maxLength: 16 }, value: { type: 'integer' } },
      },
    },
    inner: { type: 'object', properties: { deep: { type: 'string', maxLength: 12 } } },
  },
}

const rules = [
  'self.count > 3',
  'self.count == 3',
  'self.name == self.inner.deep',
  "self.name != 'abc'",
  'self.name < self.inner.deep',
  "self.mode in ['fast', 'slow']",
  'self.name in self.words',
  "'a' in self.labels",
  "has(self.name) && self.name.startsWith('abc')",
  "!has(self.inner) || self.inner.deep.endsWith('abcdef')",
  "self.name.contains('abcdefghijklmnop')",
  "self.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
  'self.name.matches(self.inner.deep)',
  "self.text.startsWith('a')",
  'self.text == self.name',
  "self.name + self.inner.deep == 'x'",
  "(self.name + 'abc').size() > 3",
  'self.words.all(w, w.size() > 1)',
  "self.words.all(w, w.startsWith('abc'))",
  "self.words.exists(w, w == 'abcdef')",
  "self.words.exists_one(w, w == 'abcdef')",
  "self.words.all(w, self.words.exists(v, v == w + 'x'))",
  "self.words.map(w, w + 'abcdefghij').all(w, w != 'abcdefghijklmnopqrstuvwxyz')",
  "self.words.filter(w, w.contains('abcdefghijkl')).size() < 3",
  "self.words.map(w, w.size() > 2, w).join(',') == self.name",
  "self.words.join(', ').contains('abcdefghijkl')",
  'self.words.isSorted()',
  "self.words.indexOf('a') > 1",
  'self.numbers.sum() > 3',
  'self.numbers.max() > self.numbers.min()',
  'self.numbers.map(n, n * 2).sum() < 100',
  'self.numbers.all(n, n > 0 && n < 100)',
  'self.numbers[0] == 5',
  "self.words[0] == 'abcdefghijklmnopqrs'",
  "self.labels.all(k, k.startsWith('abc'))",
  'self.labels.all(k, self.labels[k].size() > 3)',
  "self.labels['a'] == 'abcdefghijklmnopqrs'",
  "self.labels.exists(k, self.labels[k].matches('^abc+$'))",
  'self.parts.all(p, p.value > 1)',
  "self.parts.all(p, p.key == 'abcdefghijklmnop')",
  'self.parts.all(p, self.parts.exists_one(q, q.key == p.key))',
  "self.parts.map(p, p.key).exists(k, k == 'abcdefghijklmnop')",
  "self.parts.filter(p, p.value > 3).all(p, p.key != 'abcdefghijklmnop')",
  "self.parts[0].key.startsWith('abc')",
  "self.count > 3 ? self.name == 'abcdefghijkl' : self.on",
  '(self.on ? self.name : self.inner.deep) == self.name',
  'self.count + 1 > 3 * 2 - self.count / 2 % 5',
  '-self.count < 3 && !self.on || self.ratio > 0.5',
  'double(self.count) > self.ratio',
  'string(self.count) == self.name',
  'string(self.raw) == self.name',
  'int(self.name) > 5',
  'size(self.words) < size(self.name)',
  'self.name.lowerAscii() == self.name.upperAscii()',
  "self.name.replace('a', 'bcd') == self.name",
  "self.name.replace('abc', 'd').size() > 3",
  "self.name.split('-').all(p, p.size() < 10)",
  "self.name.split('-')[0] == self.inner.deep",
  'self.name.substring(3) == self.inner.deep',
  "self.name.trim().startsWith('a')",
  "self.name.find('[a-z]+') == 'abc'",
  "self.name.findAll('[a-z]+').size() > 1",
  "'%s-%d'.format([self.name, self.count]) == self.name",
  "self.name.indexOf('a') > 2",
  "self.when > timestamp('2026-01-01T00:00:00Z')",
  "self.wait < duration('1h')",
  'self.when.getFullYear() > 2000',
  "type(self.port) == int ? self.port < 5 : self.port == 'http'",
  'self.port == 5',
  "self.?inner.?deep.orValue('a') == self.name",
  'self.?count.hasValue()',
  "self.?name.optMap(n, n + 'abc').orValue('a') == 'abc'",
  'self.count >= oldSelf.count && self.name == oldSelf.name',
  '[1, 2, 3].all(n, n != self.count)',
  "['abc', 'defghijklmno'].exists(n, n == self.name)",
  "{'a': 'bcd', 'b': 'efghijklm'}.all(k, k != self.name)",
  "{'a': 'bcd'}['a'] == self.name",
  '[self.name, self.inner.deep].all(n, n.size() > 2)',
  'self.many.all(m, m.size() > 2)',
  'self.words + self.words == self.words',
  'self.words == self.many',
  'self.parts == self.parts',
  "dyn(self.name) == 'abcdefghijklm'",
  'true',
]

const definition = (spec: StructuralSchema, plural = 'costs', kind = 'Cost') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.side.example.com` },
  spec: {
    group: 'side.example.com',
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
      },
    ],
  },
})

/** So many of them that their cost is a little over what is allowed: then the refusal tells it to six digits. */
const magnified = (rule: string): StructuralSchema => {
  const cost = estimatedCost(parse(rule), shapeOf(data)!)
  const maxItems = Math.max(1, Math.ceil(12_000_000 / Math.max(1, cost)))
  return { type: 'array', maxItems, items: { ...data, 'x-kubernetes-validations': [{ rule }] } }
}

const many = (length: number, rule: string): StructuralSchema => ({
  ...data,
  'x-kubernetes-validations': Array.from({ length }, () => ({ rule })),
})

const schemas: readonly (readonly [string, StructuralSchema])[] = [
  ...rules.map(rule => [rule, magnified(rule)] as const),
  ...rules.map(rule => [`${rule}, once`, { ...data, 'x-kubernetes-validations': [{ rule }] }] as const),
  [
    'in a list without bounds',
    { type: 'array', items: { ...data, 'x-kubernetes-validations': [{ rule: rules[11]! }] } },
  ],
  [
    'in a map without bounds',
    { type: 'object', additionalProperties: { ...data, 'x-kubernetes-validations': [{ rule: rules[10]! }] } },
  ],
  ['of a text', { type: 'string', 'x-kubernetes-validations': [{ rule: "self.contains('abcdefghijk')" }] }],
  [
    'of a list',
    {
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, a != b))' }],
    },
  ],
  [
    'of a message',
    { ...data, 'x-kubernetes-validations': [{ rule: 'true', messageExpression: "self.text.replace('a', self.text)" }] },
  ],
  ['of many rules together', many(40, "self.text.contains('abcdefghijklmnopqrstuvwxyz')")],
  ['of many cheap rules together', many(300, "self.text.contains('abc')")],
]

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const objects = (plural: string) => `/apis/side.example.com/v1/namespaces/side/${plural}?dryRun=All`

/** Each item is looked at with each other: 7 units a pair. */
const pairs = "self.list.all(a, self.list.all(b, a != 'zz' && b != 'zz'))"
const listOf = (maxItems: number, rules: readonly object[]): StructuralSchema => ({
  type: 'object',
  properties: { list: { type: 'array', maxItems, items: { type: 'string', maxLength: 10 } } },
  'x-kubernetes-validations': rules as StructuralSchema['x-kubernetes-validations'],
})
const object = (kind: string, length: number, item = 'a') => ({
  apiVersion: 'side.example.com/v1',
  kind,
  metadata: { name: 'one' },
  spec: { list: Array.from({ length }, (_, index) => `${item}${index}`) },
})
const isServed = ({ status }: Answer) => status !== 404

const running: readonly Omit<Exchange, 'title'>[] = [
  { method: 'POST', path: definitions, body: definition(listOf(1000, [{ rule: pairs }]), 'heavies', 'Heavy') },
  { method: 'POST', path: objects('heavies'), body: object('Heavy', 300), until: isServed },
  { method: 'POST', path: objects('heavies'), body: object('Heavy', 370) },
  { method: 'POST', path: objects('heavies'), body: object('Heavy', 385) },
  { method: 'POST', path: objects('heavies'), body: object('Heavy', 900) },
  {
    method: 'POST',
    path: definitions,
    body: definition(
      listOf(
        400,
        Array.from({ length: 60 }, () => ({ rule: pairs, message: 'no zz' })),
      ),
      'burdens',
      'Burden',
    ),
  },
  { method: 'POST', path: objects('burdens'), body: object('Burden', 50), until: isServed },
  { method: 'POST', path: objects('burdens'), body: object('Burden', 390) },
]

export const costConversation: readonly Exchange[] = [
  ...schemas.map(([title, schema]) => ({
    title: `costs: ${title}`,
    method: 'POST',
    path: `${definitions}?dryRun=All`,
    body: definition(schema),
  })),
  ...running.map((exchange, index) => ({ title: `costs: run ${index}`, ...exchange })),
]
