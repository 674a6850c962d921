import { type Trees, tree } from './tree.ts'

const files = {
  'all.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: source
data:
  text: new
  number: "8080"
  lines: |
    one
    two
  bool: "true"
  map: {a: 1, b: [x, y]}
  list: [p, "2"]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: texts
data:
  compact: '{"host":"h","port":80,"on":false,"none":null,"list":["a",{"b":"c"}],"deep":{"text":"{\\"x\\":\\"y\\"}"}}'
  spaced: ' {"host": "h",  "list": [1, 2.50]}'
  pretty: |
    {
      "host": "h",
      "html": "<a&b>",
      "list": [1, 2]
    }
  narrow: |
    {
     "host": "h"
    }
  array: '[{"name":"a","value":1},{"name":"b"}]'
  lines-array: |
    [
      1,
      2
    ]
  yaml: |
    # head
    host: h # line
    list:
      - name: a
        value: 1
      - name: b
    quoted: "q"
    # foot
  commented: |
    # far head

    # head
    a: 1

    # far foot
  flow-yaml: "{host: h, 1: x}"
  plain: just text
  two-documents: |
    a: 1
    ---
    a: 2
  empty: ""
  blank: "  "
  comment: "# nothing"
  nothing: "~"
  broken: '{"host": '
  number: "5"
  anchors: |
    a: &a {x: 1}
    b: *a
`,
}

const into = (path: string, field = 'text', options = '') =>
  tree(
    `resources: [all.yaml]
replacements:
- source: {kind: ConfigMap, name: source, fieldPath: data.${field}}
  targets:
  - select: {name: texts}
    fieldPaths: [${JSON.stringify(path)}]
    options: {${options}}
`,
    files,
  )
const created = (path: string, field = 'text') => into(path, field, 'create: true')

export const trees: Trees = {
  'replaces what stands in a text of JSON, and leaves it compact or indented': [
    into('data.compact.host'),
    into('data.compact.host', 'number'),
    into('data.compact.host', 'lines'),
    into('data.compact.host', 'map'),
    into('data.compact.port'),
    into('data.compact.port', 'number'),
    into('data.compact.port', 'list'),
    into('data.compact.on', 'bool'),
    into('data.compact.none'),
    into('data.compact.list.0'),
    into('data.compact.list.1.b', 'bool'),
    into('data.compact.list.*'),
    into('data.compact.list.[=a]'),
    into('data.compact.list.[b=c]', 'list'),
    into('data.compact.list.5'),
    into('data.compact.missing'),
    into('data.compact.host.x'),
    into('data.compact.deep.text.x'),
    into('data.spaced.host'),
    into('data.pretty.host'),
    into('data.pretty.list', 'map'),
    into('data.narrow.host'),
    into('data.array.[name=b].name'),
    into('data.array.*.name'),
    into('data.array.*.value'),
    into('data.lines-array.1', 'number'),
  ],
  'replaces what stands in a text of YAML': [
    into('data.yaml.host'),
    into('data.yaml.host', 'number'),
    into('data.yaml.host', 'bool'),
    into('data.yaml.list.[name=b].name'),
    into('data.yaml.list', 'map'),
    into('data.yaml.quoted', 'lines'),
    into('data.commented.a'),
    into('data.flow-yaml.host'),
    into('data.two-documents.a'),
    into('data.anchors.b.x'),
    into('data.anchors.a.x'),
    into('data.number.x'),
    into('data. yaml.host'),
    into('data..yaml.host'),
    into('data.yaml. host'),
  ],
  'refuses a path into a text that does not hold it': [
    into('data.plain.x'),
    into('data.plain.0'),
    into('data.empty.x'),
    into('data.empty.0'),
    into('data.empty.*'),
    into('data.empty.[a=b]'),
    into('data.empty.'),
    into('data.blank.x'),
    into('data.comment.x'),
    into('data.nothing.x'),
    into('data.nothing.*'),
    into('data.broken.host'),
    into('kind.x'),
  ],
  'makes what is missing in a text': [
    created('data.compact.new'),
    created('data.compact.new.deep.x', 'map'),
    created('data.compact.list.2', 'list'),
    created('data.array.[name=c].value'),
    created('data.pretty.new.0.x', 'number'),
    created('data.yaml.new', 'number'),
    created('data.yaml.new', 'map'),
    created('data.yaml.list.[name=c].value'),
    created('data.plain.x'),
    created('data.empty.x'),
    created('data.blank.0'),
    created('data.comment.[a=b].c'),
    created('data.nothing.x'),
    created('data.missing.x'),
    created('data.broken.host'),
  ],
  'replaces a part of what stands in a text': [
    into('data.compact.host', 'text', 'delimiter: "-", index: 1'),
    into('data.compact.list', 'text', 'delimiter: "-"'),
    into('data.compact.list.*', 'text', 'delimiter: "-", index: -1'),
    into('data.yaml.host', 'number', 'delimiter: "-", index: -1'),
  ],
}
