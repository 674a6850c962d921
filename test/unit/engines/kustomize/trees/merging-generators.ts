import { type Trees, tree } from './tree.ts'

const objects = `apiVersion: v1
kind: ConfigMap
metadata:
  name: c
  labels: {old: "1", both: old}
  annotations: {old: "1", both: old, config.kubernetes.io/needs: "x"}
data:
  z: old
  both: old
  number: 5
  nothing:
binaryData:
  z: b2xk
  pic: b2xk
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: bare
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: odd
data: [1]
binaryData: text
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: texts
stringData: {kept: text}
data: {x: y}
---
apiVersion: v1
kind: Secret
metadata:
  name: s
type: kubernetes.io/basic-auth
data:
  z: b2xk
  both: b2xk
stringData:
  both: text
  word: added
---
apiVersion: v1
kind: Secret
metadata:
  name: only-texts
stringData: {a: b}
---
apiVersion: v1
kind: Secret
metadata:
  name: no-texts
stringData:
data: {z: b2xk}
---
apiVersion: v1
kind: Secret
metadata: {name: odd-texts}
stringData: {a: [x]}
---
apiVersion: v1
kind: Secret
metadata: {name: odd-values}
stringData: {a: 5, b: true, c: null, d: ~}
data: {e: null, f: 5}
---
apiVersion: v1
kind: Secret
metadata: {name: bare-secret}
`
const files = {
  'all.yaml': objects,
  pic: 'new',
  'base/kustomization.yaml': 'resources: [all.yaml]\n',
  'base/all.yaml': objects,
}

const merging = (kind: 'configMap' | 'secret', behavior: string, more = '', resources = 'all.yaml') =>
  ['c', 'bare', 'odd', 'texts', 's', 'only-texts', 'no-texts'].map(name =>
    tree(
      `resources: [${resources}]\n${kind}Generator:\n- {name: ${name}, behavior: ${behavior}, literals: [both=new, a=new, Z=new]${more}}\n`,
      files,
    ),
  )

const options = ', options: {labels: {new: "1", both: new}, annotations: {new: "1", both: new}}'

/** The same name in two namespaces, and what is generated without one. */
const namespaced = `apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: one}
data: {a: b}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: two}
data: {a: b}
`

export const trees: Trees = {
  'what is generated is merged into what is there, and takes over its name, labels and annotations': [
    ...merging('configMap', 'merge', options),
    ...merging('secret', 'merge', options),
    ...merging('configMap', 'merge', ', files: [pic]', 'base'),
    ...['s', 'bare-secret', 'odd-texts', 'odd-values', 'only-texts'].flatMap(name =>
      ['merge', 'replace'].map(behavior =>
        tree(`resources: [all.yaml]\nsecretGenerator: [{name: ${name}, behavior: ${behavior}, type: other}]\n`, files),
      ),
    ),
    tree('resources: [base]\nconfigMapGenerator: [{name: c, behavior: merge}]\ncomponents: [part]\n', {
      'base/kustomization.yaml':
        'resources: [c.yaml]\npatches: [{target: {name: c}, patch: "[{op: replace, path: /kind, value: Widget}]", options: {allowKindChange: true}}]\n',
      'base/c.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n',
      'part/kustomization.yaml': 'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [c.yaml]\n',
      'part/c.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n',
    }),
  ],
  'what is generated stands in the place of what is there': [
    ...merging('configMap', 'replace', options),
    ...merging('secret', 'replace'),
    ...merging('secret', 'replace', ', type: other', 'base'),
  ],
  'what is generated is not made where it is, or merged where it is not': [
    ...merging('configMap', 'create'),
    ...merging('secret', '""'),
    ...merging('configMap', 'other', options),
    ...['merge', 'replace', 'create', '""'].flatMap(behavior => [
      tree(`configMapGenerator: [{name: none, behavior: ${behavior}}]\n`),
      tree(`secretGenerator: [{name: none, namespace: n1, behavior: ${behavior}}]\n`),
    ]),
  ],
  'names are told apart by namespaces, prefixes and what they were before': [
    tree('resources: [all.yaml]\nconfigMapGenerator: [{name: c, behavior: merge, literals: [a=c]}]\n', {
      'all.yaml': namespaced,
    }),
    ...['one', 'two', 'three', 'default'].map(namespace =>
      tree(
        `resources: [all.yaml]\nconfigMapGenerator: [{name: c, namespace: ${namespace}, behavior: merge, literals: [a=c, d=e]}]\n`,
        { 'all.yaml': namespaced },
      ),
    ),
    ...[
      'namePrefix: p-',
      'nameSuffix: -s',
      'namespace: ns1',
      'namePrefix: p-\nnamespace: ns1',
      'commonAnnotations: {a: b}',
    ].flatMap(field =>
      ['c', 'p-c', 'made'].map(name =>
        tree(
          `resources: [base]\nconfigMapGenerator: [{name: ${name}, behavior: merge, literals: [a=c], files: [pic]}]\n`,
          {
            ...files,
            'base/kustomization.yaml': `resources: [all.yaml]\n${field}\nconfigMapGenerator: [{name: made, literals: [a=b], files: [all.yaml]}]\n`,
            'base/all.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {pic: x}\n',
          },
        ),
      ),
    ),
    ...['merge', 'replace'].flatMap(behavior =>
      ['true', 'false'].flatMap(own =>
        ['true', 'false'].map(base =>
          tree(
            `resources: [base]\nbuildMetadata: [originAnnotations]\nconfigMapGenerator: [{name: made, behavior: ${behavior}, literals: [a=c], options: {disableNameSuffixHash: ${own}}}]\n`,
            {
              'base/kustomization.yaml': `configMapGenerator: [{name: made, literals: [a=b, z=b], options: {disableNameSuffixHash: ${base}}}, {name: after}]\n`,
            },
          ),
        ),
      ),
    ),
  ],
}
