import { type Trees, tree } from './tree.ts'

const widget = (spec: string): string =>
  `apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: w\nspec: ${spec}\n`

/** Annotations at a place that a configuration names. */
const annotated = (spec: string, path: string, more = 'create: true', transformer = 'commonAnnotations') =>
  tree(`resources: [all.yaml]\n${transformer}: {a: b}\nconfigurations: [c.yaml]\n`, {
    'all.yaml': widget(spec),
    'c.yaml': `${transformer}:\n- {path: ${JSON.stringify(path)}, kind: Widget${more && `, ${more}`}}\n`,
  })
const scaled = (spec: string, path: string, more = 'create: true') =>
  tree('resources: [all.yaml]\nreplicas: [{name: w, count: 7}]\nconfigurations: [c.yaml]\n', {
    'all.yaml': widget(spec),
    'c.yaml': `replicas:\n- {path: ${JSON.stringify(path)}, kind: Widget${more && `, ${more}`}}\n`,
  })
const imaged = (spec: string, path: string, more = '') =>
  tree('resources: [all.yaml]\nimages: [{name: i, newTag: v2}]\nconfigurations: [c.yaml]\n', {
    'all.yaml': widget(spec),
    'c.yaml': `images:\n- {path: ${JSON.stringify(path)}, kind: Widget${more && `, ${more}`}}\n`,
  })

/** Configurations, one after the other, for annotations and labels. */
const configured = (...configurations: readonly string[]) =>
  tree(
    `resources: [all.yaml]\ncommonAnnotations: {a: b}\ncommonLabels: {c: d}\nnamePrefix: p-\nconfigurations: [${configurations.map((_, i) => `c${i}.yaml`).join(', ')}]\n`,
    {
      'all.yaml': `${widget('{x: {}, ref: c}')}---\n${widget('{x: {}}').replace('v1', 'v2').replace('example', 'other')}---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n`,
      ...Object.fromEntries(configurations.map((text, i) => [`c${i}.yaml`, text])),
    },
  )

export const trees: Trees = {
  'makes fields on the way to a place, and lists only where they are': [
    annotated('{}', 'spec/a'),
    annotated('{}', 'spec/a/b'),
    annotated('{a: null}', 'spec/a'),
    annotated('{a: null}', 'spec/a/b'),
    annotated('{a: {b: null}}', 'spec/a/b'),
    annotated('{a: ~}', 'spec/a/b', ''),
    annotated('{a: {}}', 'spec/a', ''),
    annotated('{}', 'spec/a', ''),
    annotated('{}', 'spec/a[]/b'),
    annotated('{a: null}', 'spec/a[]/b'),
    annotated('{a: null}', 'spec/a[]'),
    annotated('{a: [{}, {b: {}}, null, {b: null}]}', 'spec/a[]/b'),
    annotated('{a: [{}, {b: {}}]}', 'spec/a/b'),
    annotated('{a: [{}, {b: {}}]}', 'spec/a/b', ''),
    annotated('{a: [[{}], []]}', 'spec/a/b'),
    annotated('{a: {}}', 'spec/a[]/b'),
    annotated('[{}, {a: {}}]', 'spec/a'),
    annotated('null', 'spec/a'),
    annotated('text', 'spec/a'),
    annotated('{a: text}', 'spec/a'),
    annotated('{a: text}', 'spec/a/b'),
    annotated('{a: [text]}', 'spec/a/b'),
    annotated('{a: [{b: text}]}', 'spec/a/b/c'),
    annotated('{a: [1, 2]}', 'spec/a'),
  ],
  'reads the path of a place': [
    annotated('{}', '/spec/a'),
    annotated('{}', '//spec/a'),
    annotated('{}', 'spec//a'),
    annotated('{}', 'spec/a/'),
    annotated('{}', '/'),
    annotated('{}', ''),
    annotated('{}', 'spec/a\\/b'),
    annotated('{}', 'spec/a\\/b\\/c/d'),
    annotated('{}', 'spec/a\\\\/b'),
    annotated('{}', 'spec/[]'),
    annotated('{}', 'spec/[]/a'),
    annotated('{a: []}', 'spec/a/0'),
    annotated('{}', 'spec/0'),
    annotated('{}', 'spec/-1'),
    annotated('{}', 'spec/-'),
    annotated('{}', 'spec/*'),
    annotated('{}', 'spec/[a=b]'),
    annotated('{}', 'spec/[a]'),
    annotated('{}', 'spec/ a'),
    annotated('{a: {}}', 'spec/ a /b '),
    annotated('{}', 'spec/a b'),
    annotated('{}', 'spec/a.b'),
  ],
  'works on the kinds that a place is for': [
    annotated('{}', 'spec/a', 'create: true, group: example.com'),
    annotated('{}', 'spec/a', 'create: true, group: other'),
    annotated('{}', 'spec/a', 'create: true, version: v1'),
    annotated('{}', 'spec/a', 'create: true, version: v2'),
    annotated('{}', 'spec/a', 'create: true, group: example.com, version: v1'),
    annotated('{}', 'spec/a', 'creates: true'),
    annotated('{}', 'spec/a', 'create: true', 'commonLabels'),
  ],
  'writes numbers and images where a place is made for them': [
    scaled('{}', 'spec/n'),
    scaled('{}', 'spec/n/m'),
    scaled('{n: null}', 'spec/n'),
    scaled('{n: 1}', 'spec/n', ''),
    scaled('{n: null}', 'spec/n', ''),
    scaled('{n: "1"}', 'spec/n'),
    scaled('{n: [1, 2]}', 'spec/n'),
    scaled('{n: {}}', 'spec/n'),
    scaled('{n: [{}]}', 'spec/n/m'),
    imaged('{i: "i:v1"}', 'spec/i'),
    imaged('{}', 'spec/i', 'create: true'),
    imaged('{i: null}', 'spec/i', 'create: true'),
    imaged('{i: [{i: "i:v1"}, {i: j}]}', 'spec/i[]/i'),
    imaged('{i: [i, j]}', 'spec/i'),
    imaged('{i: {i: i}}', 'spec/i'),
  ],
  'puts configurations together, one after the other and before the default ones': [
    configured('commonAnnotations: [{path: spec/x, kind: Widget}]'),
    configured('commonAnnotations: [{path: spec/x}]', 'commonAnnotations: [{path: spec/x, kind: Widget}]'),
    configured('commonAnnotations: [{path: spec/x, kind: Widget}]', 'commonAnnotations: [{path: spec/x}]'),
    configured(
      'commonAnnotations: [{path: spec/x, kind: Widget, group: other.com}]',
      'commonAnnotations: [{path: spec/x, kind: Widget}]',
    ),
    configured('commonAnnotations: [{path: spec/x, kind: Widget}, {path: spec/x, kind: Widget, create: true}]'),
    configured(
      'commonAnnotations: [{path: spec/x, kind: Widget}]',
      'commonAnnotations: [{path: spec/x, kind: Widget, create: true}]',
    ),
    configured('commonAnnotations: [{path: metadata/annotations}]'),
    configured('commonAnnotations: [{path: metadata/annotations, create: true}]'),
    configured('commonLabels: [{path: spec/x}]', '', 'commonAnnotations: [{path: spec/y, create: true}]'),
    configured(
      'nameReference: [{kind: ConfigMap, fieldSpecs: [{kind: Widget, path: spec/ref}]}]',
      'nameReference: [{kind: ConfigMap, fieldSpecs: [{kind: Widget, path: spec/other}]}, {kind: Secret, fieldSpecs: []}]',
    ),
    configured('nameReference: [{kind: ConfigMap, version: v1, fieldSpecs: [{path: spec/ref}]}]'),
    configured('nameReference: [{kind: ConfigMap, version: v1}]'),
    configured('namespace: [{path: x, kind: Widget}, {path: x, kind: Widget, create: true}]'),
    ...[
      'nameReference: [{kind: ConfigMap, fieldSpecs: [{path: spec/ref}]}]',
      'nameReference: [{kind: Secret, fieldSpecs: [{path: spec/ref}]}, {kind: ConfigMap, version: v1, fieldSpecs: [{path: spec/ref}]}]',
    ].flatMap(configuration =>
      ['ConfigMap', 'Secret'].map(kind =>
        tree('resources: [all.yaml]\nnamePrefix: p-\nconfigurations: [c.yaml, c.yaml]\n', {
          'all.yaml': `${widget('{ref: c}')}---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n---\napiVersion: v1\nkind: ${kind}\nmetadata:\n  name: p-c\n`,
          'c.yaml': configuration,
        }),
      ),
    ),
    configured('nameReference: [{fieldSpecs: [{path: spec/ref}]}]'),
    configured('nameReference: [{kind: ConfigMap, fieldSpecs: [{kind: Widget, group: example.com}]}]'),
    configured('nameReference: [{kind: ConfigMap, fieldSpecs: [{path: spec/ref}, {path: spec/ref, create: true}]}]'),
    configured(
      'nameReference: [{kind: ConfigMap, fieldSpecs: [{path: spec/ref, create: true}]}]',
      'nameReference: [{kind: ConfigMap, fieldSpecs: [{path: spec/ref}]}]',
    ),
    configured(
      'nameReference: [{kind: ConfigMap, fieldSpecs: [{path: spec/ref, create: true}]}]',
      'nameReference: [{kind: ConfigMap, fieldSpecs: [{path: spec/ref, create: true}]}]',
    ),
    configured('namePrefix: [{path: spec/ref}]'),
    configured('namePrefix: [{path: metadata/name, kind: Widget}]'),
    configured('other: []'),
    configured('commonAnnotations: [5]'),
    configured('nameReference: [{kind: 5}]'),
    configured('commonAnnotations: [{kind: Widget}]'),
    configured('nameReference: [{kind: ConfigMap, fieldSpecs: [{paths: x}]}]'),
    configured('null'),
    configured('a: b: c'),
  ],

  'specs for a kind come before those for any kind': ['Namespace', 'Service', 'Widget'].map(kind =>
    tree('resources: [all.yaml]\ncommonAnnotations: {a: b}\nconfigurations: [c.yaml]\n', {
      'all.yaml': `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: n\ndata: {x: s}\nspec: {a: s}\n`,
      'c.yaml': `commonAnnotations:\n- {version: v1, path: data/x/y, create: true}\n- {kind: ${kind}, path: spec/a/b, create: true}\n`,
    }),
  ),

  'specs for one kind are taken in their order': [
    ['a', 'b'],
    ['b', 'a'],
  ].map(fields =>
    tree('resources: [all.yaml]\nreplicas: [{name: w, count: 7}]\nconfigurations: [c.yaml]\n', {
      'all.yaml': widget('{a: s, b: s}'),
      'c.yaml': `replicas:\n${fields.map(field => `- {kind: Widget, path: spec/${field}/x, create: true}\n`).join('')}`,
    }),
  ),
}
