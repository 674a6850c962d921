import { type Trees, tree } from './tree.ts'

const GVK = 'x-kubernetes-group-version-kind'
const STRATEGY = { 'x-kubernetes-patch-strategy': 'merge' }
const keyed = (...keys: readonly string[]) => ({ ...STRATEGY, 'x-kubernetes-list-map-keys': keys })

/** A list that is merged by `id`. */
const list = { type: 'array', items: {}, ...STRATEGY, 'x-kubernetes-patch-merge-key': 'id' }
const widget = { group: 'example.com', version: 'v1', kind: 'Widget' }

const BEFORE = [{ id: '1', v: 1 }, { id: '2' }]
const AFTER = [{ id: '1', w: 1 }]

const object = (apiVersion: string, kind: string, more: object) =>
  `${JSON.stringify({ apiVersion, kind, metadata: { name: 'a' }, ...more })}\n`

const openapi = 'openapi: {path: schema.json}\n'

/** A Widget and a patch for it, under a schema. */
const built = (schema: object | string, before: object = { list: BEFORE }, after: object = { list: AFTER }) =>
  tree(`resources: [w.yaml]\nnamespace: new\n${openapi}patches: [{path: p.yaml}]\n`, {
    'w.yaml': object('example.com/v1', 'Widget', before),
    'p.yaml': object('example.com/v1', 'Widget', after),
    'schema.json': typeof schema === 'string' ? schema : JSON.stringify(schema),
  })

const widgets = (properties: object, definitions: object = {}, more: object = {}) => ({
  definitions: { Widget: { properties, [GVK]: [widget], ...more }, ...definitions },
})
const referred = ($ref: string, definitions: object = { List: list }) => built(widgets({ list: { $ref } }, definitions))
const paths = (all: object) => built({ ...widgets({ list }), paths: all })

const pod = (containers: object) => object('v1', 'Pod', { spec: { containers } })
const patched = (more: string) => `resources: [pod.yaml]\npatches: [{path: p.yaml}]\n${more}`
const podFiles = (folder: string, namespace: string) => ({
  [`${folder}/pod.yaml`]: pod([{ name: 'a', image: 'i' }]).replace('"a"', `"a","namespace":"${namespace}"`),
  [`${folder}/p.yaml`]: pod([{ name: 'a', v: 1 }]).replace('"a"', `"a","namespace":"${namespace}"`),
})
const podSpec = { properties: { containers: { ...list, 'x-kubernetes-patch-merge-key': 'image' } } }
/** Two bases, of which the second brings a schema; whether the built-in one was read by then depends on the first. */
const afterwards = (first: string, more: object = {}) =>
  tree('resources: [one, two]\n', {
    'one/kustomization.yaml': first,
    ...podFiles('one', 'one'),
    'two/kustomization.yaml': `resources: [pod.yaml, v.yaml]\npatches: [{path: p.yaml}, {path: w.yaml}]\n${openapi}`,
    ...podFiles('two', 'two'),
    'two/v.yaml': object('example.com/v1', 'Widget', { spec: { containers: [{ image: 'i', v: 1 }] } }),
    'two/w.yaml': object('example.com/v1', 'Widget', { spec: { containers: [{ image: 'i', w: 1 }] } }),
    'two/schema.json': JSON.stringify(
      widgets(
        { spec: { $ref: '#/definitions/io.k8s.api.core.v1.PodSpec' } },
        { 'io.k8s.api.core.v1.PodSpec': podSpec, ...more },
      ),
    ),
  })

/** A list whose type a comment tells. */
const describedList = (comment: string) =>
  tree('resources: [all.yaml]\npatches: [{path: p.yaml}]\n', {
    'all.yaml': `apiVersion: a.com/v1\nkind: A\nmetadata:\n  name: a\nspec:\n  list: ${comment}\n  - id: x\n    a: 1\n  - id: y\n`,
    'p.yaml': 'apiVersion: a.com/v1\nkind: A\nmetadata:\n  name: a\nspec:\n  list:\n  - id: y\n    b: 2\n',
  })
const byId =
  '{"type":"array","x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"id","items":{"type":"object"}}'

export const trees: Trees = {
  'a comment may tell the type of a list': [
    describedList(`# ${byId}`),
    describedList(`#${byId}`),
    describedList(`##  ${byId}`),
    describedList(`# x ${byId}`),
    describedList(''),
  ],

  'a schema may have gaps, and words that mean nothing': [
    built('null'),
    built('{}'),
    built(
      widgets(
        { list: { $ref: '#/definitions/List' }, spec: { $ref: '#/definitions/Spec' } },
        {
          List: list,
          Spec: { properties: { list, in: { $ref: '#/definitions/In' } } },
          In: { properties: { ids: list } },
        },
      ),
      { list: BEFORE, spec: { list: BEFORE, in: { ids: BEFORE } } },
      { list: AFTER, spec: { list: AFTER, in: { ids: AFTER } } },
    ),
    // Of the properties of another definition, which are no definitions themselves.
    built(
      widgets(
        { one: { $ref: '#/definitions/Other/properties/one' } },
        {
          Other: {
            properties: {
              one: { properties: { two: { $ref: '#/definitions/Other/properties/two' }, list } },
              two: { properties: { ids: list } },
            },
          },
        },
      ),
      { one: { list: BEFORE, two: { list: BEFORE, ids: BEFORE } } },
      { one: { list: AFTER, two: { list: AFTER, ids: AFTER } } },
    ),
    built(widgets({ list, other: null })),
    built({ definitions: { Widget: { properties: { list }, [GVK]: [5, null] } } }),
    built({ definitions: { Widget: { properties: { list }, [GVK]: widget } } }),
    built({ definitions: { Widget: { properties: { list }, [GVK]: 5 } } }),
    built(widgets({ list: { ...list, type: ['array'] } })),
    built(widgets({ list: { ...list, type: ['array', 'null'] } })),
    built(widgets({ list: { ...list, $ref: 5 } })),
    built(widgets({ list: { ...list, $ref: '' } })),
    paths({ '/a': null, '/b': { get: null } }),
    paths({ '/a': { get: { [GVK]: 5 } }, '/b': { get: { [GVK]: [widget] } }, '/c': { get: {} } }),
    paths({ '/apis/namespaces/{namespace}/x': { get: { [GVK]: widget } } }),
    paths({ '/apis/namespaces/x': { get: { [GVK]: widget } } }),
    tree(`resources: [a.yaml]\nnamespace: new\n${openapi}`, {
      'a.yaml': object('undefined', 'undefined', {}),
      'schema.json': JSON.stringify({ definitions: {}, paths: { '/a': { get: {} } } }),
    }),
  ],
  'a schema says of every field what it is': [
    ...[true, false, {}, list].map(additionalProperties => built(widgets({}, {}, { additionalProperties }))),
    built(widgets({ '*': {} }, {}, { additionalProperties: list }), { '*': BEFORE }, { '*': AFTER }),
    built(
      widgets({ one: { ...list, ...keyed('a,b') }, two: { ...list, ...keyed('a', 'b') } }),
      { one: [{ 'a,b': '1', v: 1 }], two: [{ a: '1', b: '2', v: 1 }] },
      { one: [{ 'a,b': '1', w: 1 }], two: [{ a: '1', b: '2', w: 1 }] },
    ),
    // Of another shape than the schema says.
    ...[
      { ...list, items: { properties: { list } } },
      { type: 'array', items: { properties: { list } } },
      { properties: { list }, ...STRATEGY, 'x-kubernetes-patch-merge-key': 'id' },
      { ...list, properties: { list } },
      { properties: { list } },
    ].flatMap(odd => [
      built(widgets({ odd }), { odd: { list: BEFORE } }, { odd: { list: AFTER } }),
      built(widgets({ odd }), { odd: [{ id: '1', list: BEFORE }] }, { odd: [{ id: '1', list: AFTER }] }),
      built(widgets({ odd }), { odd: [BEFORE] }, { odd: [AFTER] }),
    ]),
    built(
      widgets({ list, other: { additionalProperties: list } }),
      { list: BEFORE, other: { constructor: BEFORE } },
      {
        list: AFTER,
        other: { constructor: AFTER },
      },
    ),
  ],
  'a reference is a JSON pointer, wherever it says that the document is': [
    referred('#/definitions/List'),
    referred('List'),
    referred('/definitions/List'),
    referred('#definitions/List'),
    referred('#/other/List'),
    referred('#/'),
    referred('#'),
    referred('#/definitions/'),
    referred('#/definitions/', { '': list }),
    referred('http://example.com/schema#/definitions/List'),
    referred('#/definitions/List#/definitions/Other', { List: list, Other: {} }),
    referred('#/definitions/a~1b', { 'a/b': list }),
    referred('#/definitions/a~1b', { 'a~1b': list }),
    referred('#/definitions/a~0b', { 'a~b': list }),
    referred('#/definitions/a~01b', { 'a~1b': list, 'a/b': {} }),
    referred('#/definitions/Widget/properties/other', { Widget: { properties: { list }, [GVK]: [widget] } }),
    built(widgets({ list: { $ref: '#/definitions/Widget/properties/other' }, other: list })),
    built(widgets({ list: { $ref: '#/definitions/None', ...list } })),
    built(
      widgets({ self: { $ref: '#/definitions/None', properties: { list } } }),
      { self: { list: BEFORE } },
      { self: { list: AFTER } },
    ),
    ...['~', '/'].map(odd =>
      built({
        definitions: {
          [`a${odd}b`]: { properties: { list }, [GVK]: [widget] },
          ab: { properties: {}, [GVK]: [{ ...widget, kind: 'Gadget' }] },
        },
      }),
    ),
    built({
      definitions: {
        'a/b~c': { properties: { list }, [GVK]: [widget] },
        a: { 'b~c': {} },
      },
    }),
  ],
  'a schema adds to what of the built-in one was read before, and changes it': [
    afterwards('resources: [pod.yaml]\n'),
    afterwards(patched('')),
    afterwards(patched(''), {
      Pod: { properties: { spec: podSpec }, [GVK]: [{ group: '', version: 'v1', kind: 'Pod' }] },
    }),
    afterwards(patched(''), { Pod: { properties: {}, [GVK]: [{ group: '', version: 'v1', kind: 'Pod' }] } }),
    afterwards(patched(''), { 'io.k8s.api.core.v1.PodSpec': { properties: {} } }),
    afterwards(patched(''), {
      'io.k8s.api.core.v1.PodSpec': { $ref: '#/definitions/io.k8s.api.core.v1.EphemeralContainers' },
    }),
    afterwards('namePrefix: p-\n'),
    afterwards('resources: [pod.yaml]\nnamespace: one\n'),
  ],
}
