import { type Trees, tree } from './tree.ts'

const map = (name: string, more = '', kind = 'ConfigMap', apiVersion = 'v1') =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${more}`

const subjects = `subjects:
- {kind: ServiceAccount, name: default}
- {kind: ServiceAccount, name: robot}
- {kind: ServiceAccount, name: settled, namespace: there}
- {kind: ServiceAccount, name: default, namespace: there}
- {kind: User, name: default}
- {kind: User, name: jane}
- {name: no-kind}
`
const files = {
  'objects.yaml': [
    map('plain'),
    map('settled', '  namespace: there\n'),
    map('blank', '  namespace: ""\n'),
    map('nothing', '  namespace: null\n'),
    map('space', '', 'Namespace'),
    map('own', 'spec: {ns: null, other: ~, blank: "", set: x}\n', 'Namespace', 'example.com/v1'),
    map('role', '', 'ClusterRole', 'rbac.authorization.k8s.io/v1'),
  ].join('---\n'),
  'bindings.yaml': ['RoleBinding', 'ClusterRoleBinding', 'OtherBinding']
    .map(kind => map('b', subjects, kind, 'rbac.authorization.k8s.io/v1'))
    .join('---\n'),
}

/** What a NamespaceTransformer makes of all of that, with such lines in its configuration. */
const transformer = (
  lines: string,
  resources = '[objects.yaml, bindings.yaml]',
  more: Record<string, string> = files,
) =>
  tree(`resources: ${resources}\ntransformers: [t.yaml]\n`, {
    ...more,
    't.yaml': `apiVersion: builtin\nkind: NamespaceTransformer\nmetadata: {name: t, namespace: new}\n${lines}\n`,
  })

const specs = (...list: string[]) => `fieldSpecs:\n${list.map(spec => `- {${spec}}\n`).join('')}`

/** Bindings whose subjects are no list of subjects, or odd ones. */
const binding = (text: string, kind = 'RoleBinding') => ({
  'b.yaml': map('b', `subjects: ${text}\n`, kind, 'rbac.authorization.k8s.io/v1'),
})

/** What a build remembers, shown by a patch that copies it. */
const remembered = `patches:
- target: {kind: ConfigMap}
  patch: |
    - {op: copy, from: /metadata/annotations, path: /data}
`

export const trees: Trees = {
  'a namespace is given to what can have one, and to the subjects that are meant': [
    transformer(''),
    transformer('setRoleBindingSubjects: defaultOnly'),
    transformer('setRoleBindingSubjects: none'),
    transformer('setRoleBindingSubjects: allServiceAccounts'),
    transformer('unsetOnly: true\nsetRoleBindingSubjects: allServiceAccounts'),
    transformer('unsetOnly: true'),
    transformer('setRoleBindingSubjects: others'),
    transformer(specs('path: metadata/name')),
    transformer(specs('path: metadata/name, kind: Namespace, create: true', 'path: metadata/namespace, create: true')),
    transformer(specs('path: subjects/namespace', 'path: subjects/namespace, kind: RoleBinding, create: true')),
    transformer(specs('path: subjects/namespace, kind: ClusterRoleBinding, create: true')),
    transformer(specs('path: subjects/namespace, kind: OtherBinding, create: true')),
    transformer(specs('path: subjects/kind, kind: RoleBinding, create: true')),
    transformer(specs('path: metadata/annotations/ns, create: true', 'path: spec/ns, create: true')),
    transformer(
      `unsetOnly: true\n${specs(...['ns', 'other', 'blank', 'set', 'new'].map(key => `path: spec/${key}, create: true`))}`,
    ),
    transformer(`unsetOnly: true\n${specs(...['ns', 'other', 'blank', 'set'].map(key => `path: spec/${key}`))}`),
    tree('resources: [objects.yaml, bindings.yaml]\nnamespace: new\n', files),
    tree('resources: [objects.yaml, bindings.yaml]\nnamespace: "5"\n', files),
  ],
  'subjects and places that hold no namespace are told': [
    transformer('', '[b.yaml]', binding('{name: default}')),
    transformer('', '[b.yaml]', binding('text')),
    transformer('', '[b.yaml]', binding('null')),
    transformer('', '[b.yaml]', binding('')),
    transformer('', '[b.yaml]', binding('[]', 'ClusterRoleBinding')),
    transformer('', '[b.yaml]', binding('[text]')),
    transformer('', '[b.yaml]', binding('[[{name: default}]]')),
    transformer('', '[b.yaml]', binding('[{name: default, namespace: {a: b}}]')),
    transformer('', '[b.yaml]', binding('[{name: {default: a}}]')),
    transformer('setRoleBindingSubjects: allServiceAccounts', '[b.yaml]', binding('[{name: a}, text]')),
    transformer('setRoleBindingSubjects: none', '[b.yaml]', binding('text')),
    transformer(specs('path: metadata/labels'), '[b.yaml]', binding('[]')),
    transformer(specs('path: subjects'), '[b.yaml]', binding('[a, b]')),
    transformer(specs('path: subjects'), '[b.yaml]', binding('[{name: default, namespace: null}]', 'OtherBinding')),
    transformer(specs('path: kind/namespace'), '[b.yaml]', binding('[]')),
    transformer(specs('path: metadata/namespace/deeper'), '[b.yaml]', binding('[]')),
  ],
  'what a namespace makes one is refused, and told with all that is remembered of it': [
    tree('resources: [a.yaml]\nnamespace: new\nnamePrefix: p-\n', {
      'a.yaml': [map('a', '  namespace: one\n'), map('b'), map('a', '  namespace: two\n')].join('---\n'),
    }),
    tree('resources: [base]\nnamespace: new\n', {
      'base/kustomization.yaml': 'resources: [a.yaml]\nnamePrefix: p-\nnameSuffix: -s\n',
      'base/a.yaml': [
        map('a', '  namespace: one\n'),
        map('a', '  namespace: two\n  annotations: {z: "1", a: b}\n'),
      ].join('---\n'),
    }),
    tree('resources: [a.yaml]\nnamespace: new\n', {
      'a.yaml': [map('a', '  namespace: new\n'), map('a')].join('---\n'),
    }),
    tree('resources: [a.yaml]\nnamespace: new\n', {
      'a.yaml': [map('a', '', 'ClusterRole', 'rbac.authorization.k8s.io/v1'), map('a', '  namespace: new\n')].join(
        '---\n',
      ),
    }),
  ],
  'what a namespace moves is known by its former one as well': [
    tree(`resources: [a.yaml]\nnamespace: new\n`, { 'a.yaml': map('a') }),
    tree(`resources: [base]\n${remembered}`, {
      'base/kustomization.yaml': 'resources: [a.yaml]\nnamespace: new\n',
      'base/a.yaml': [map('a', 'data: {x: y}\n'), map('b', '  namespace: there\n')].join('---\n'),
    }),
    tree('resources: [a.yaml]\nnamespace: new\ncomponents: [rename, add]\n', {
      'a.yaml': map('a', '  namespace: old\n'),
      'rename/kustomization.yaml': 'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamespace: newer\n',
      'add/kustomization.yaml': 'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [b.yaml]\n',
      'add/b.yaml': map('a', '  namespace: old\n'),
    }),
    tree('resources: [a.yaml]\ncomponents: [rename, add]\n', {
      'a.yaml': map('a', '  namespace: old\n'),
      'rename/kustomization.yaml': 'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamespace: newer\n',
      'add/kustomization.yaml': 'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [b.yaml]\n',
      'add/b.yaml': map('a', '  namespace: newer\n'),
    }),
  ],
}
