/** Requests about user-defined kinds and their objects. */
import type { Answer } from './answers.ts'
import { apply, type Exchange, json, merge, table } from './exchange.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const own = `${definitions}/widgets.side.example.com`
const widgets = '/apis/side.example.com/v1/namespaces/side/widgets'
const old = widgets.replace('/v1/', '/v1beta1/')

const spec = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', default: 3, minimum: 1, maximum: 100 },
    ratio: { type: 'number' },
    color: { type: 'string', pattern: '^[a-z]+$', maxLength: 10 },
    mode: { type: 'string', enum: ['fast', 'slow'] },
    on: { type: 'boolean', default: true },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          weight: { type: 'integer', default: 1 },
          note: { type: 'string', nullable: true },
        },
      },
    },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', maxItems: 20, items: { type: 'string', maxLength: 50 } },
    plain: { type: 'array', items: { type: 'integer' } },
    extra: { type: 'object', additionalProperties: { type: 'string' } },
    atom: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    port: { 'x-kubernetes-int-or-string': true },
    nested: { type: 'object', default: {}, properties: { deep: { type: 'string', default: 'yes' } } },
  },
  'x-kubernetes-validations': [
    { rule: "!has(self.color) || self.color != 'bad'", message: 'no bad colors' },
    { rule: 'self.size >= oldSelf.size', messageExpression: "'may not shrink'" },
    {
      rule: "!has(self.tags) || self.tags.all(t, t.matches('^[a-z]'))",
      message: 'tags begin with a letter',
      fieldPath: '.tags',
    },
  ],
}
const status = { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } }

const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.size',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  additionalPrinterColumns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'how large' },
    { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
  ],
  selectableFields: [{ jsonPath: '.spec.color' }],
  ...more,
})

const definition = (
  plural = 'widgets',
  names: object = {},
  versions: object[] = [version('v1'), version('v1beta1', { deprecated: true })],
) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.side.example.com` },
  spec: {
    group: 'side.example.com',
    scope: 'Namespaced',
    names: { plural, kind: 'Widget', shortNames: ['wi'], ...names },
    versions,
  },
})
const broken = (schema: object, more: object = {}) =>
  definition('brokens', { kind: 'Broken', shortNames: [] }, [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more },
  ])
const object = (properties: object) => ({ type: 'object', properties })

const widget = (content: object = {}, name = 'w') => ({
  apiVersion: 'side.example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec: content,
})

const pattern = '/schema/openAPIV3Schema/properties/spec/properties/color/pattern'

const isEstablished = ({ body }: Answer): boolean =>
  ((body as { status?: { conditions?: readonly { type: string; status: string }[] } }).status?.conditions ?? []).some(
    ({ type, status }) => type === 'Established' && status === 'True',
  )
const isServed = ({ status }: Answer): boolean => status === 200
const isRefused = ({ status }: Answer): boolean => status === 422
const isGone = ({ status }: Answer): boolean => status === 404
const hasLateDefault = ({ body }: Answer): boolean => (body as { spec?: { late?: unknown } }).spec?.late !== undefined

type Row = readonly [
  title: string,
  method: string,
  path: string,
  body?: unknown,
  headers?: Exchange['headers'],
  until?: Exchange['until'],
]

const rows: readonly Row[] = [
  ['a kind before it is defined', 'GET', widgets],
  ['a definition, dry', 'POST', `${definitions}?dryRun=All`, definition()],
  ['a definition', 'POST', `${definitions}?fieldManager=maker`, definition()],
  ['a definition again', 'POST', definitions, definition()],
  ['a definition that is accepted', 'GET', own, undefined, undefined, isEstablished],
  ['its group', 'GET', '/apis/side.example.com', undefined, undefined, isServed],
  ['its version', 'GET', '/apis/side.example.com/v1', undefined, undefined, isServed],
  ['no objects', 'GET', widgets, undefined, undefined, isServed],
  [
    'definitions as a table',
    'GET',
    `${definitions}?fieldSelector=metadata.name%3Dwidgets.side.example.com`,
    undefined,
    table,
  ],
  ['a definition without anything', 'POST', definitions, { metadata: { name: 'x' }, spec: {} }],
  [
    'a schema without types',
    'POST',
    definitions,
    broken({ properties: { spec: { properties: { a: { type: 'array' } } } } }),
  ],
  ['a schema of a string', 'POST', definitions, broken({ type: 'string' })],
  ['a schema with a strange type', 'POST', definitions, broken(object({ a: { type: 'thing' } }))],
  [
    'a schema with two kinds of properties',
    'POST',
    definitions,
    broken(
      object({
        a: { type: 'object', properties: { b: { type: 'string' } }, additionalProperties: { type: 'string' } },
      }),
    ),
  ],
  ['a schema that refers', 'POST', definitions, broken(object({ a: { type: 'object', $ref: '#/x' } }))],
  [
    'a schema of unique items',
    'POST',
    definitions,
    broken(object({ a: { type: 'array', uniqueItems: true, items: { type: 'string' } } })),
  ],
  [
    'a list map without keys',
    'POST',
    definitions,
    broken(object({ a: { type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'object' } } })),
  ],
  ['a rule without text', 'POST', definitions, broken({ ...object({}), 'x-kubernetes-validations': [{ rule: '' }] })],
  [
    'columns that show nothing',
    'POST',
    definitions,
    broken({ type: 'object' }, { additionalPrinterColumns: [{ name: 'x', type: 'foo', jsonPath: 'bad' }] }),
  ],
  [
    'a scale without paths',
    'POST',
    definitions,
    broken({ type: 'object' }, { subresources: { scale: { specReplicasPath: 'spec.x' } } }),
  ],
  ['no schema', 'POST', definitions, broken({}, { schema: undefined })],
  [
    'a scope that is none',
    'POST',
    definitions,
    {
      ...definition('scopes', { kind: 'Scope', shortNames: [] }),
      spec: { ...definition('scopes', { kind: 'Scope', shortNames: [] }).spec, scope: 'Elsewhere' },
    },
  ],
  ['another name', 'POST', definitions, { ...definition('others'), metadata: { name: 'wrong.side.example.com' } }],
  ['another scope', 'PATCH', own, { spec: { scope: 'Cluster' } }, merge],
  ['another kind of the same name', 'PATCH', own, { spec: { names: { kind: 'Gadget' } } }, merge],
  ['a stored version left out', 'PATCH', own, { spec: { versions: [version('v2', { storage: true })] } }, merge],
  [
    'an object',
    'POST',
    `${widgets}?fieldManager=maker`,
    widget({ color: 'red', parts: [{ name: 'a' }, { name: 'b', weight: 4 }], tags: ['x', 'y'], unknown: 1 }),
  ],
  [
    'an object, strictly',
    'POST',
    `${widgets}?fieldValidation=Strict`,
    widget({ unknown: 1, parts: [{ name: 'a', foo: 1 }] }, 'x'),
  ],
  ['an object without a spec', 'POST', widgets, { metadata: { name: 'empty' } }],
  ['an object with a status', 'POST', widgets, { ...widget({ size: 5 }, 'st'), status: { replicas: 3 } }],
  ['an object too small', 'POST', widgets, widget({ size: 0 }, 'x')],
  ['an object too large', 'POST', widgets, widget({ size: 101, color: 'a'.repeat(11) }, 'x')],
  ['an object of another mode', 'POST', widgets, widget({ mode: 'idle' }, 'x')],
  [
    'wrong types',
    'POST',
    widgets,
    widget({ size: 'a', on: 'yes', tags: 'a', extra: { a: 1 }, port: 1.5, ratio: 'x', free: [] }, 'x'),
  ],
  ['a bad color', 'POST', widgets, widget({ color: 'bad' }, 'x')],
  ['a bad tag', 'POST', widgets, widget({ tags: ['1'] }, 'x')],
  ['doubled parts and tags', 'POST', widgets, widget({ parts: [{ name: 'a' }, { name: 'a' }], tags: ['x', 'x'] }, 'x')],
  ['a part without a name', 'POST', widgets, widget({ parts: [{ weight: 1 }] }, 'x')],
  [
    'nulls',
    'POST',
    widgets,
    widget({ size: null, color: null, parts: [{ name: 'a', note: null, weight: null }], nested: null }, 'nulls'),
  ],
  [
    'free content',
    'POST',
    widgets,
    widget({ free: { a: [1, { b: null }], c: { d: 'e' } }, port: '80', extra: { k: 'v' }, ratio: 2 }, 'free'),
  ],
  ['a smaller object', 'PATCH', `${widgets}/w`, { spec: { size: 2 } }, merge],
  ['a larger object', 'PATCH', `${widgets}/w?fieldManager=merger`, { spec: { size: 8 } }, merge],
  [
    'a status',
    'PATCH',
    `${widgets}/w/status?fieldManager=reporter`,
    { status: { replicas: 2, selector: 'a=b' }, spec: { size: 9 } },
    merge,
  ],
  ['a wrong status', 'PATCH', `${widgets}/w/status`, { status: { replicas: 'two' } }, merge],
  ['a scale', 'GET', `${widgets}/w/scale`],
  ['a scale of nothing', 'GET', `${widgets}/nothing/scale`],
  ['a scale deleted', 'DELETE', `${widgets}/w/scale`],
  [
    'an applied object',
    'PATCH',
    `${widgets}/ap?fieldManager=one`,
    widget({ size: 4, tags: ['a'], parts: [{ name: 'p', weight: 2 }] }, 'ap'),
    apply,
  ],
  [
    'applied by another',
    'PATCH',
    `${widgets}/ap?fieldManager=two`,
    widget({ tags: ['b'], parts: [{ name: 'q' }], extra: { k: 'v' } }, 'ap'),
    apply,
  ],
  [
    'applied against the first',
    'PATCH',
    `${widgets}/ap?fieldManager=two`,
    widget({ size: 6, tags: ['b'], parts: [{ name: 'p', weight: 3 }] }, 'ap'),
    apply,
  ],
  [
    'applied by force',
    'PATCH',
    `${widgets}/ap?fieldManager=two&force=true`,
    widget({ size: 6, tags: ['b'], parts: [{ name: 'p', weight: 3 }] }, 'ap'),
    apply,
  ],
  ['applied less', 'PATCH', `${widgets}/ap?fieldManager=one`, widget({ size: 6 }, 'ap'), apply],
  [
    'applied in the other version',
    'PATCH',
    `${old}/ap?fieldManager=one`,
    { ...widget({ size: 7, atom: { a: '1' } }, 'ap'), apiVersion: 'side.example.com/v1beta1' },
    apply,
  ],
  [
    'an item by JSON patch',
    'PATCH',
    `${widgets}/ap?fieldManager=j`,
    [
      { op: 'add', path: '/spec/tags/-', value: 'z' },
      { op: 'test', path: '/spec/size', value: 7 },
    ],
    json,
  ],
  ['the other version', 'GET', `${old}/w`],
  ['objects of the other version', 'GET', `${old}?fieldSelector=metadata.name%3Dw`],
  ['objects by color', 'GET', `${widgets}?fieldSelector=spec.color%3Dred`],
  ['objects by what is not selected by', 'GET', `${widgets}?fieldSelector=spec.size%3D8`],
  ['objects as a table', 'GET', widgets, undefined, table],
  ['a wrong version', 'POST', widgets, { ...widget({}, 'x'), apiVersion: 'side.example.com/v1beta1' }],
  ['an object of no namespace', 'POST', '/apis/side.example.com/v1/widgets', widget({}, 'x')],
  // Only one part of the definition changes: what is there stays, however wrong it has become.
  [
    'a stricter schema',
    'PATCH',
    `${own}?fieldManager=maker`,
    [0, 1].map(index => ({ op: 'replace', path: `/spec/versions/${index}${pattern}`, value: '^blue$' })),
    json,
  ],
  ['what the stricter schema says', 'GET', own, undefined, undefined, isEstablished],
  ['what was right once', 'PATCH', `${widgets}/w?fieldManager=merger`, { spec: { size: 9 } }, merge],
  ['what was never right', 'PATCH', `${widgets}/w`, { spec: { color: 'green' } }, merge, isRefused],
  // What was stored before a default came has it all the same, whichever way it is read.
  [
    'a schema with more defaults',
    'PATCH',
    `${own}?fieldManager=maker`,
    [0, 1].map(index => ({
      op: 'add',
      path: `/spec/versions/${index}/schema/openAPIV3Schema/properties/spec/properties/late`,
      value: { type: 'object', default: {}, properties: { by: { type: 'string', default: 'day' } } },
    })),
    json,
  ],
  ['an object with a later default', 'GET', `${widgets}/w`, undefined, undefined, hasLateDefault],
  ['objects with a later default', 'GET', widgets],
  ['a later default in the other version', 'GET', `${old}/w`],
  ['one object listed with a later default', 'GET', `${widgets}?fieldSelector=metadata.name%3Dw`],
  ['a later default kept by a patch', 'PATCH', `${widgets}/w?fieldManager=later`, { spec: { size: 10 } }, merge],
  ['an object deleted', 'DELETE', `${widgets}/free`],
  ['a definition deleted', 'DELETE', own],
  ['a definition gone', 'GET', own, undefined, undefined, isGone],
  ['a kind gone', 'GET', widgets, undefined, undefined, isGone],
]

export const definitionConversation: readonly Exchange[] = rows.map(([title, method, path, body, headers, until]) => ({
  title: `definitions: ${title}`,
  method,
  path,
  ...(body !== undefined && { body }),
  ...(headers && { headers }),
  ...(until && { until }),
}))
