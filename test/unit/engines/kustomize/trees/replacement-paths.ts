import { type Trees, tree } from './tree.ts'

const files = {
  'all.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: source
data:
  text: new
  map: {a: 1, b: [x, y]}
  list: [p, "2"]
---
apiVersion: example.com/v1
kind: Widget
metadata:
  name: w
  annotations: {example.com/a.b: here, 'a[x]b.c': there}
spec:
  list: [a, b-1, "3", {x: 1}]
  items:
  - name: one
    value: 1
  - name: two
  - name: twenty-two
    value: ~
  - other: x
  - scalar
  empty: []
  nothing: null
  deep: {a: {b: {c: d}}}
  "[odd": odd 1
  "odd]": odd 2
  12x: odd 3
  x12: odd 4
  "1": one
  '*': star
`,
}

/** A replacement by a field of the source's data. */
const into = (path: string, field = 'text', options = '') =>
  tree(
    `resources: [all.yaml]
replacements:
- source: {kind: ConfigMap, fieldPath: data.${field}}
  targets:
  - select: {kind: Widget}
    fieldPaths: [${JSON.stringify(path)}]
    options: {${options}}
`,
    files,
  )
const created = (path: string, field = 'text') => into(path, field, 'create: true')

export const trees: Trees = {
  'replaces elements of lists by what they hold': [
    into('spec.list.[=b]'),
    into('spec.list.[=^"3"$]'),
    into('spec.list.[=3]'),
    into('spec.list.[=x: 1]'),
    into('spec.list.[=^a]', 'map'),
    into('spec.list.[=nobody]'),
    into('spec.list.[=^a].x'),
    into('spec.list.[=]'),
    into('spec.items.[name=tw].value'),
    into('spec.items.[name=^two].name'),
    into('spec.items.[name=t.*-]', 'list'),
    into('spec.items.[=scalar]'),
    into('spec.items.[name=(].value'),
    into('spec.items.[name].value'),
    into('spec.items.[name=one=1].value'),
  ],
  'replaces elements of lists by their numbers': [
    into('spec.list.0'),
    into('spec.list.01'),
    into('spec.list.+2'),
    into('spec.list.-0'),
    into('spec.list.-1'),
    into('spec.list.3', 'map'),
    into('spec.list.4'),
    into('spec.list.12'),
    into('spec.list.99999999999999999999'),
    into('spec.empty.0'),
  ],
  'refuses steps that what is there does not have': [
    into('spec.deep.*'),
    into('spec.deep.0'),
    into('spec.deep.[a=b]'),
    into('spec.list.a'),
    into('spec.list.*.x'),
    into('spec.items.*.name.x'),
    into('spec.nothing.x'),
    into('spec.nothing.*'),
    into('spec.nothing.0'),
    into('spec.nothing.[a=b]'),
    into('spec.nothing.[=b]'),
    into('spec.missing.x'),
    into('spec.missing.*'),
    into('spec.missing.0'),
    into('spec.missing.[a=b]'),
    into('spec.items.*.value'),
    into('spec.empty.*'),
    into('spec.empty.[name=(]'),
    into('spec.1'),
    into('spec.*'),
  ],
  'takes names for names that look like steps of lists': [
    into('spec.[odd'),
    into('spec.odd]'),
    into('spec.12x'),
    into('spec.x12'),
    into('metadata.annotations.[example.com/a.b]'),
    into('metadata.annotations.example\\.com/a\\.b'),
    into('metadata.annotations.example.com/a\\.b'),
    into('metadata.annotations.[example.com/a.b'),
    into('metadata.annotations.[[example.com/a.b]]'),
    into('metadata.annotations.[a[x]b.c]'),
    into('.spec.x12'),
    into('spec..x12'),
    into('spec. x12'),
    into('spec.x12.'),
    into('.'),
  ],
  'makes what is missing, as the next step needs it': [
    created('spec.new'),
    created('spec.new', 'map'),
    created('spec.new', 'list'),
    created('spec.new.field', 'map'),
    created('spec.new.0'),
    created('spec.new.0.x'),
    created('spec.new.0.1'),
    created('spec.new.12'),
    created('spec.new.+0', 'list'),
    created('spec.new.12x'),
    created('spec.new.x12'),
    created('spec.new.[name=a].value'),
    created('spec.new.[name=a].value.[name=b].deep', 'map'),
    created('spec.new.[=prim]'),
    created('spec.new.[=prim]', 'map'),
    created('spec.new.[odd'),
    created('spec.new.odd]'),
    created('spec.new.[x.y]'),
    created('spec.new.*'),
    created('spec.new..x'),
    created('spec.new.'),
  ],
  'makes what is missing in lists': [
    created('spec.list.4'),
    created('spec.list.4', 'map'),
    created('spec.list.4.x'),
    created('spec.list.4.0'),
    created('spec.list.4.[a=b].c'),
    created('spec.list.5'),
    created('spec.empty.0', 'list'),
    created('spec.empty.[name=a].value'),
    created('spec.empty.[=a]'),
    created('spec.empty.*.x'),
    created('spec.items.[name=two].value'),
    created('spec.items.[name=tw].more', 'list'),
    created('spec.items.[name=three].value', 'map'),
    created('spec.items.[name=three]', 'map'),
    created('spec.items.[name=three].name'),
    created('spec.items.[=four]'),
    created('spec.items.*.made'),
    created('spec.nothing'),
    created('spec.nothing', 'map'),
    created('spec.nothing.x'),
    created('spec.nothing.0'),
    created('spec.nothing.[a=b].c'),
    created('spec.nothing.[=b]'),
    created('spec.deep.0'),
    created('spec.deep.[a=b]'),
    created('spec.list.a'),
  ],
}
