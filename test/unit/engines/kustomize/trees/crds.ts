import { type Trees, tree } from './tree.ts'

const kinded = (properties: object) => ({ kind: {}, apiVersion: {}, metadata: {}, ...properties })
const LABELS = { 'x-kubernetes-label-selector': '' }
const type = (properties: object) => ({ Schema: { properties } })
const reference = (kind: string, more: object = {}) => ({
  'x-kubernetes-object-ref-api-version': 'v1',
  'x-kubernetes-object-ref-kind': kind,
  ...more,
})

const WIDGET = `apiVersion: example.com/v1
kind: Widget
metadata:
  name: w
spec:
  config: {name: c, key: c}
  secret: {name: c, key: c}
  deep: {er: {secret: {name: s, key: s}, again: {er: {secret: {name: s}}}}}
  list: [{name: c}, {name: s}]
  id: x
  labels: {a: b}
  notes: {a: b}
  both: {a: b}
  name: s
labels: {a: b}
`
const files = {
  'w.yaml': WIDGET,
  'g.yaml': WIDGET.replace('Widget', 'Gadget'),
  'c.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n',
  's.yaml': 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n',
}

/** A Widget with definitions of its kind; each further one is another file. */
const defined = (...definitions: readonly (object | string)[]) =>
  tree(
    `resources: [w.yaml, g.yaml, c.yaml, s.yaml]\nnamePrefix: p-\ncommonLabels: {l: x}\ncommonAnnotations: {note: x}\ncrds: [${definitions.map((_, i) => `d${i}.json`).join()}]\n`,
    {
      ...files,
      ...Object.fromEntries(
        definitions.map((one, i) => [`d${i}.json`, typeof one === 'string' ? one : JSON.stringify(one)]),
      ),
    },
  )

const spec = type({
  config: reference('ConfigMap'),
  secret: reference('Secret', { 'x-kubernetes-object-ref-name-key': 'key' }),
  deep: { $ref: 'Deep' },
  list: reference('ConfigMap'),
  id: { 'x-kubernetes-identity': '' },
  labels: LABELS,
  notes: { 'x-kubernetes-annotation': '' },
  both: { 'x-kubernetes-label-selector': 'x', 'x-kubernetes-annotation': 'y', 'x-kubernetes-identity': 5 },
})
const deep = {
  Deep: type({ er: { $ref: 'Er' } }),
  Er: type({ secret: reference('Secret', { 'x-kubernetes-object-ref-name-key': 'key' }) }),
}
const widget = (properties: object) => type(kinded(properties))

export const trees: Trees = {
  'definitions of kinds tell where names, labels and annotations are': [
    defined({ 'com.example.v1.Widget': widget({ spec: { $ref: 'Spec' } }), Spec: spec, ...deep }),
    defined({
      Widget: widget({ spec: { $ref: 'Spec' } }),
      Spec: spec,
      ...deep,
      'a.Gadget': widget({ spec: { $ref: 'Spec' } }),
    }),
    defined({ Widget: widget({ spec: { $ref: 'Spec' } }) }, { Spec: spec }),
    defined(
      { Widget: widget({ spec: { $ref: 'Spec' } }), Spec: spec },
      { Gadget: widget({ spec: { $ref: 'Spec' } }), Spec: spec },
    ),
    defined({
      Widget: widget({ spec: { $ref: 'Spec' } }),
      Spec: type({ both: { 'x-kubernetes-identity': 5, 'x-kubernetes-annotation': null } }),
    }),
  ],
  'definitions are of kinds when they have what all kinds have': [
    ...['kind', 'apiVersion', 'metadata'].map(missing => {
      const { [missing]: _, ...properties } = kinded({ labels: LABELS }) as Record<string, object>
      return defined({ Widget: type(properties) })
    }),
    defined({ Widget: widget({ labels: LABELS }) }),
    defined({ Widget: widget({ labels: LABELS }), Other: { Schema: {} }, More: {} }),
    defined({ Widget: { properties: kinded({ labels: LABELS }) } }),
    defined({ Widget: widget({ spec: { $ref: 'None' }, labels: LABELS }) }),
    defined({ Widget: widget({ spec: { $ref: 'toString' } }) }),
  ],
  'a reference names a kind, its version, and where the name is': [
    ...[
      { 'x-kubernetes-object-ref-kind': 'ConfigMap' },
      { 'x-kubernetes-object-ref-api-version': 'v1' },
      reference('ConfigMap', { 'x-kubernetes-object-ref-name-key': '' }),
      reference('ConfigMap', { 'x-kubernetes-object-ref-api-version': 'apps/v1' }),
      reference('ConfigMap', { 'x-kubernetes-object-ref-api-version': '' }),
      reference('', {}),
      reference('ConfigMap', { $ref: 'Deep' }),
    ].map(config =>
      defined({
        Widget: widget({ spec: { $ref: 'Spec' } }),
        Spec: type({ config }),
        Deep: type({ key: { 'x-kubernetes-identity': '' } }),
      }),
    ),
  ],
  'definitions may be missing, and are read as YAML': [
    ...['null', '{}', 'a: b: c', 'a: {Schema: null}', 'a: null', '5', '[]', 'text', 'true'],
    ...['{"a": 5}', 'a: 5', '{"a": null, "b": "x"}', 'a: [b]'],
    JSON.stringify({ Widget: { SCHEMA: { properties: kinded({ labels: LABELS }) } } }),
    JSON.stringify({ Widget: widget({ labels: LABELS, none: null }) }),
  ].map(text => defined(text)),
}
