import { type Trees, tree } from './tree.ts'

const files = {
  'all.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: source
data:
  text: value
  quoted: "5"
  empty: ""
---
apiVersion: example.com/v1
kind: Widget
metadata:
  name: w
spec:
  int: 5
  octal: 0644
  hex: 0x1F
  plus: +5
  long: 123456789012345678901
  float: 2.50
  exp: 1e3
  tiny: 1e-7
  huge: 1e25
  bool: True
  off: FALSE
  nothing: null
  tilde: ~
  date: 2001-01-01
  map: {a: b}
  list: [{name: x, value: first}, [inner, 7]]
  dotted.name: d
  long text: |
    one
    two
`,
  'pod.yaml': `apiVersion: v1
kind: Pod
metadata:
  name: p
spec:
  containers:
  - name: c
    command: [run, "$(V)", "a $(V) b", "$(V)$(V)", "$$(V)", "$(W)", "$(V", "$V", "$", "a$", "$$$(V)", "($(V))", "$()", "x"]
    args:
    - "$(V)"
    env:
    - {name: E, value: "$(V)"}
    - {name: F, value: 5}
    - {name: G, value: null}
    - {name: H, value: '"quoted" $(V)'}
`,
}
const vars = (...entries: readonly string[]) =>
  tree(`resources: [all.yaml, pod.yaml]\nvars:\n${entries.map(entry => `- ${entry}\n`).join('')}`, files)
const widget = 'objref: {apiVersion: example.com/v1, kind: Widget, name: w}'
const from = (path: string, objref = widget) => vars(`{name: V, ${objref}, fieldref: {fieldPath: "${path}"}}`)
const by = (objref: string) => vars(`{name: V, objref: {${objref}}}`)

/** A configuration with one more place for vars. */
const at = (path: string, pod: string) =>
  tree(
    `resources: [all.yaml, pod.yaml]\nconfigurations: [c.yaml]\nvars:\n- {name: V, objref: {apiVersion: v1, kind: ConfigMap, name: source}}\n`,
    {
      ...files,
      'c.yaml': `varReference:\n- {kind: Pod, path: ${path}}\n`,
      'pod.yaml': `apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  x: ${pod}\n`,
    },
  )

const two = (name: string, top: string, bases: string) =>
  tree(`resources: [one, two]\n${top}\n`, {
    ...Object.fromEntries(
      ['one', 'two'].flatMap(base => [
        [
          `${base}/kustomization.yaml`,
          `namePrefix: ${base}-\nresources: [a.yaml]\n${bases.replaceAll('NAME', name === '' ? base.toUpperCase() : name)}\n`,
        ],
        [
          `${base}/a.yaml`,
          `apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - {name: c, image: i, args: ["$(ONE)", "$(TWO)", "$(V)"]}\n`,
        ],
      ]),
    ),
  })
const OF_BASE = 'vars: [{name: NAME, objref: {apiVersion: v1, kind: Pod, name: a}}]'

export const trees: Trees = {
  'writes the value of a var wherever it stands, numbers as Go prints them': [
    ...[
      'spec.int',
      'spec.octal',
      'spec.hex',
      'spec.plus',
      'spec.long',
      'spec.float',
      'spec.exp',
      'spec.tiny',
      'spec.huge',
      'spec.bool',
      'spec.off',
      'spec.nothing',
      'spec.tilde',
      'spec.date',
      'spec.map',
      'spec.list',
      'spec.long text',
      'metadata.name',
    ].map(path => from(path)),
    ...['text', 'quoted', 'empty'].map(key =>
      from(`data.${key}`, 'objref: {apiVersion: v1, kind: ConfigMap, name: source}'),
    ),
  ],
  'follows the path of a var into lists': [
    from('spec.list[0].value'),
    from('spec.list.0.value'),
    from('spec.list.[0].value'),
    from('spec.list[1][1]'),
    from('spec.list[1].0'),
    from('spec.list.[name=x].value'),
    from('spec.list[name=x].value'),
    from('spec.list[x].value'),
    from('spec.list[5].value'),
    from('spec.list[-1].value'),
    from('spec.[dotted.name]'),
    from('spec.dotted\\\\.name'),
    from('spec.nobody'),
    from('spec.int.x'),
    from(''),
  ],
  'finds the object of a var': [
    by('apiVersion: v1, kind: ConfigMap, name: source'),
    by('version: v1, kind: ConfigMap, name: source'),
    by('kind: ConfigMap, name: source'),
    by('apiVersion: v1, kind: ConfigMap, name: source, namespace: default'),
    by('apiVersion: v1, kind: ConfigMap, name: source, namespace: other'),
    by('apiVersion: example.com/v1, kind: Widget, name: w'),
    by('group: example.com, version: v1, kind: Widget, name: w'),
    by('group: example.com, apiVersion: v1, kind: Widget, name: w'),
    by('group: example.com, version: v1, apiVersion: a/b/c, kind: Widget, name: w'),
    by('apiVersion: example.com/v1, group: nope, version: nope, kind: Widget, name: w'),
    by('apiVersion: v1, kind: ConfigMap'),
    by(''),
    vars('{name: V}'),
    vars('{}'),
  ],
  'refuses vars with the same name, and such as could mean several objects': [
    vars(`{name: V, ${widget}}`, `{name: V, ${widget}}`),
    vars(`{name: W, ${widget}}`, `{name: V, ${widget}, fieldref: {fieldPath: spec.int}}`),
    two('', '', OF_BASE),
    two('V', '', OF_BASE),
    two('', OF_BASE.replace('NAME', 'V'), ''),
    two('', OF_BASE.replace('NAME', 'V').replace('{name: V', '{name: V, fieldref: {fieldPath: spec.x}'), ''),
    two('', OF_BASE.replace('NAME', 'V').replace('name: a', 'name: one-a'), ''),
    tree(
      'resources: [a.yaml]\nvars: [{name: V, objref: {apiVersion: v1, kind: Namespace, name: nn, namespace: x}}]\n',
      { 'a.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: nn\n' },
    ),
    tree('resources: [a.yaml]\nvars: [{name: V, objref: {apiVersion: v1, kind: Namespace, name: nn}}]\n', {
      'a.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: nn\n',
    }),
    ...['', ', namespace: x', ', namespace: default'].map(namespace =>
      tree(
        `resources: [a.yaml]\nvars: [{name: V, objref: {apiVersion: v1, kind: ConfigMap, name: nn${namespace}}}]\n`,
        {
          'a.yaml':
            'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: nn\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: nn\n  namespace: x\n',
        },
      ),
    ),
  ],
  'looks for vars in texts, lists of texts and values of objects': [
    at('spec/x', '"$(V)"'),
    at('spec/x', '"$(V) and $(V)"'),
    at('spec/x', "'5'"),
    at('spec/x', '5'),
    at('spec/x', 'null'),
    at('spec/x', '[a, $(V), "5"]'),
    at('spec/x', '[a, 5]'),
    at('spec/x', '[a, null]'),
    at('spec/x', '[[a]]'),
    at('spec/x', '{a: $(V), b: 5, c: [$(V)], d: "7"}'),
    at('spec/x', '{5: $(V)}'),
    at('spec/x', '{"5": $(V)}'),
    at('spec/x', '{a: $(V), true: b}'),
    at('spec/x', '"line one $(V)\\nline two"'),
  ],
}
