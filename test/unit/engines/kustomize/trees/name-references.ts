import { type Trees, tree } from './tree.ts'

const object = (kind: string, name: string, more = ''): string =>
  `apiVersion: ${kind.includes('.') ? kind.replace(/\/[^/]*$/, '') : 'v1'}\nkind: ${kind.split('/').at(-1)}\nmetadata:\n  name: ${name}\n${more}---\n`
const inNamespace = (namespace: string, more = ''): string => `  namespace: ${namespace}\n${more}`
const configMap = (name: string, more = ''): string => object('ConfigMap', name, more)
const widget = (spec: string, more = ''): string => object('example.com/v1/Widget', 'w', `${more}spec:\n  ${spec}\n`)

/** A Widget that refers to config maps with a new name, at a path that a configuration names. */
const referring = (spec: string, path: string, kustomization = 'namePrefix: p-') =>
  tree(`resources: [all.yaml]\nconfigurations: [names.yaml]\n${kustomization}\n`, {
    'names.yaml': `nameReference:\n- kind: ConfigMap\n  version: v1\n  fieldSpecs:\n  - {kind: Widget, path: "${path}"}\n`,
    'all.yaml': configMap('a') + configMap('b', inNamespace('far')) + configMap('c') + widget(spec),
  })

/** Directories with resources of their own, and a kustomization above them. */
const bases = (directories: Readonly<Record<string, string>>, above: string, resources = '') =>
  tree(
    `resources: [${[...Object.keys(directories), 'all.yaml'].join(', ')}]\n${above}\n`,
    Object.fromEntries([
      ['all.yaml', resources],
      ...Object.entries(directories).flatMap(([name, text]) => {
        const [kustomization, all] = text.split('===\n')
        return [
          [`${name}/kustomization.yaml`, `resources: [all.yaml]\n${kustomization}\n`],
          [`${name}/all.yaml`, all ?? ''],
        ] as const
      }),
    ]),
  )

const role = (more = '') =>
  `${object('rbac.authorization.k8s.io/v1/Role', 'r', more)}${object('rbac.authorization.k8s.io/v1/ClusterRole', 'r')}`
const binding = (kind: string, rest: string, more = '') =>
  object(`rbac.authorization.k8s.io/v1/${kind}`, 'b', `${more}${rest}\n`)

export const trees: Trees = {
  'follows references that are texts, lists and objects with a name': [
    referring('ref: a', 'spec/ref'),
    referring('ref: "a"', 'spec/ref'),
    referring('ref: 5', 'spec/ref'),
    referring('ref: null', 'spec/ref'),
    referring('ref: nobody', 'spec/ref'),
    referring('ref: [a, null, c, nobody]', 'spec/ref'),
    referring('refs: [{name: a}, null, {name: c, x: y}, {name: nobody}]', 'spec/refs'),
    referring('refs: [{name: a}, {name: c}]', 'spec/refs/name'),
    referring('refs: [{name: a}, {name: c}]', 'spec/refs[]/name'),
    referring('refs: [{name: a}, {name: c}]', 'spec/refs/0/name'),
    referring('ref: {name: a}', 'spec/ref'),
    referring('ref: {name: a, namespace: default}', 'spec/ref'),
    referring('ref: {name: b, namespace: far}', 'spec/ref'),
    referring('ref: {name: a, namespace: far}', 'spec/ref'),
    referring('ref: {name: b, namespace: nowhere}', 'spec/ref'),
    referring('ref: {name: null}', 'spec/ref'),
    referring('ref: {name: a, namespace: null}', 'spec/ref'),
    referring('ref: {x: a}', 'spec/ref'),
    referring('ref: [[a]]', 'spec/ref'),
    referring('ref: [{x: a}]', 'spec/ref'),
    referring('ref: [[{name: a}]]', 'spec/ref/name'),
    referring('ref: text', 'spec/ref/name'),
    referring('ref: [text]', 'spec/ref/name'),
    referring('refs: [{name: a}, text]', 'spec/refs[]/name'),
    referring('ref: {deep: [{name: a}, {other: x}]}', 'spec/ref/deep/name'),
    referring('ref: a', 'spec/'),
    referring('ref: a', ''),
  ],
  'follows references into a namespace that is written': [
    referring('ref: {name: a, namespace: default}', 'spec/ref', 'namespace: moved'),
    referring('ref: {name: a, namespace: moved}', 'spec/ref', 'namespace: moved'),
    referring('ref: {name: a, namespace: moved}', 'spec/ref', 'namePrefix: p-\nnamespace: moved'),
    referring('ref: {name: b, namespace: far}', 'spec/ref', 'namePrefix: p-\nnamespace: moved'),
    referring('ref: {name: b, namespace: moved}', 'spec/ref', 'namePrefix: p-\nnamespace: moved'),
    referring('ref: [{name: a}, {name: c, namespace: default}]', 'spec/ref', 'namePrefix: p-\nnamespace: moved'),
    referring('ref: [a, b]', 'spec/ref', 'namePrefix: p-\nnamespace: moved'),
    referring('ref: {name: b}', 'spec/ref', 'namePrefix: p-\nnamespace: moved'),
    referring('ref: {name: b}', 'spec/ref'),
    referring('ref: b', 'spec/ref'),
  ],
  'tells references of the same name apart by namespaces, prefixes and suffixes': [
    bases(
      { one: `namePrefix: one-\n===\n${configMap('c')}`, two: `namePrefix: two-\n===\n${configMap('c')}` },
      '',
      object('Pod', 'p', 'spec: {volumes: [{name: v, configMap: {name: c}}]}\n'),
    ),
    ...['namePrefix', 'nameSuffix'].flatMap(affix =>
      ['', 'namePrefix: x-', `${affix}: y-`].map(above =>
        bases(
          {
            one: `${affix}: one-\n===\n${configMap('c')}${object('Pod', 'p', 'spec: {volumes: [{name: v, configMap: {name: c}}]}\n')}`,
            two: `${affix}: two-\n===\n${configMap('c')}${object('Pod', 'p', 'spec: {volumes: [{name: v, configMap: {name: c}}]}\n')}`,
            three: `===\n${object('Pod', 'q', 'spec: {volumes: [{name: v, configMap: {name: c}}]}\n')}`,
          },
          above,
          object(
            'Pod',
            'r',
            'spec: {volumes: [{name: v, configMap: {name: one-c}}, {name: w, configMap: {name: two-c}}]}\n',
          ),
        ),
      ),
    ),
    bases(
      {
        one: `namespace: one\nconfigMapGenerator: [{name: c, literals: [a=b]}]\n===\n${object('Pod', 'p', 'spec: {volumes: [{name: v, configMap: {name: c}}]}\n')}`,
        two: `namespace: two\nconfigMapGenerator: [{name: c, literals: [a=c]}]\n===\n${object('Pod', 'p', 'spec: {volumes: [{name: v, configMap: {name: c}}]}\n')}`,
      },
      'namePrefix: x-',
    ),
  ],
  'refuses a reference that several objects could be meant by': [
    bases(
      {
        one: 'namespace: one\nconfigMapGenerator: [{name: c, literals: [a=b]}]',
        two: 'namespace: two\nconfigMapGenerator: [{name: c, literals: [a=c]}]',
      },
      '',
      object(
        'rbac.authorization.k8s.io/v1/ClusterRole',
        'r',
        'rules: [{resources: [configmaps], resourceNames: [c, d]}]\n',
      ),
    ),
    bases(
      {
        one: 'namespace: one\nconfigMapGenerator: [{name: c, literals: [a=b]}]',
        two: 'namespace: two\nconfigMapGenerator: [{name: c, literals: [a=b]}]',
      },
      'namePrefix: x-',
      object(
        'rbac.authorization.k8s.io/v1/ClusterRole',
        'r',
        'rules: [{resources: [configmaps], resourceNames: [c, d]}]\n',
      ),
    ),
    bases(
      {
        one: `namePrefix: x-\nnamespace: one\n===\n${object('Service', 's')}`,
        two: `namePrefix: x-\nnamespace: two\n===\n${object('Service', 's')}`,
      },
      'buildMetadata: [originAnnotations]\nnameSuffix: -y',
      object(
        'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration',
        'h',
        'webhooks:\n- {name: a, clientConfig: {service: {name: s}}}\n',
      ),
    ),
    ...['one', 'two', 'default', 'three', 'old'].map(namespace =>
      bases(
        {
          one: `namePrefix: x-\nnamespace: one\n===\n${object('Service', 's', inNamespace('old'))}`,
          two: `namePrefix: x-\nnamespace: two\n===\n${object('Service', 's')}`,
        },
        'nameSuffix: -y',
        object(
          'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration',
          'h',
          `webhooks:\n- {name: a, clientConfig: {service: {name: s, namespace: ${namespace}}}}\n`,
        ),
      ),
    ),
  ],
  'follows a role binding to the role of its kind and to accounts of any namespace': [
    ...['RoleBinding', 'ClusterRoleBinding'].flatMap(kind =>
      [
        'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}',
        'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}',
        'roleRef: {kind: ClusterRole, name: r}',
        'roleRef: {apiGroup: rbac.authorization.k8s.io, name: r}',
        'roleRef: {apiGroup: other, kind: ClusterRole, name: r}',
        'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Other, name: r}',
        'subjects: [{kind: ServiceAccount, name: a, namespace: far}, {kind: ServiceAccount, name: a}]',
        'subjects: [{kind: ServiceAccount, name: a, namespace: default}, {kind: User, name: a, namespace: far}]',
      ].map(rest =>
        tree('resources: [all.yaml]\nnamePrefix: p-\n', {
          'all.yaml': `${role()}${object('ServiceAccount', 'a')}${object('ServiceAccount', 'a', inNamespace('far'))}${binding(kind, rest)}`,
        }),
      ),
    ),
    ...['""', 'null', '5', '[x]', '{}'].map(namespace =>
      tree('resources: [all.yaml]\nnamePrefix: p-\n', {
        'all.yaml': `${object('ServiceAccount', 'a')}${binding('RoleBinding', `subjects: [{kind: ServiceAccount, name: a, namespace: ${namespace}}]`)}`,
      }),
    ),
    tree('resources: [all.yaml]\nnamePrefix: p-\n', {
      'all.yaml': `${object('ServiceAccount', 'a')}${binding('RoleBinding', 'subjects: [{name: a, namespace: 5}, {kind: User, name: a, namespace: 5}, {kind: ServiceAccount, name: a}]')}`,
    }),
    tree('resources: [all.yaml]\nnamePrefix: p-\n', {
      'all.yaml': `${object('ServiceAccount', 'a')}${binding('RoleBinding', 'subjects: null')}`,
    }),
    tree('resources: [all.yaml]\nnamePrefix: p-\n', {
      'all.yaml': `${object('ServiceAccount', 'a')}${binding('Other', 'subjects: [{kind: ServiceAccount, name: a, namespace: 5}]')}`,
    }),
    tree('resources: [all.yaml]\nnamespace: moved\n', {
      'all.yaml': `${role(inNamespace('far'))}${object('ServiceAccount', 'default')}${object('ServiceAccount', 'a', inNamespace('far'))}${binding('RoleBinding', 'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}\nsubjects: [{kind: ServiceAccount, name: a, namespace: far}, {kind: ServiceAccount, name: default}]', inNamespace('far'))}`,
    }),
  ],
  'kinds that a field may refer to are asked in their order, whatever the order of the configuration': [
    ['Zed', 'Abc'],
    ['Abc', 'Zed'],
  ].map(kinds =>
    tree('resources: [zed, abc, w.yaml]\nconfigurations: [c.yaml]\n', {
      'c.yaml': `nameReference: [${kinds.map(kind => `{kind: ${kind}, fieldSpecs: [{kind: Widget, path: spec/ref}]}`).join()}]\n`,
      'w.yaml': 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {ref: a}\n',
      ...Object.fromEntries(
        ['Zed', 'Abc'].flatMap(kind => [
          [`${kind.toLowerCase()}/kustomization.yaml`, `namePrefix: ${kind.toLowerCase()}-\nresources: [a.yaml]\n`],
          [`${kind.toLowerCase()}/a.yaml`, `apiVersion: example.com/v1\nkind: ${kind}\nmetadata: {name: a}\n`],
        ]),
      ),
    }),
  ),
  'the namespace of a subject is a text also when a transformer has written it': ['p-', '1', '0x', ''].flatMap(prefix =>
    ['sys', '2', 'null', '""'].map(namespace =>
      tree('resources: [all.yaml]\ntransformers: [t.yaml]\n', {
        'all.yaml': `${object('ServiceAccount', 'a')}${binding('RoleBinding', `subjects: [{kind: ServiceAccount, name: a, namespace: ${namespace}}]`, inNamespace('far'))}`,
        't.yaml': `apiVersion: builtin\nkind: PrefixSuffixTransformer\nmetadata: {name: t}\nprefix: "${prefix}"\nfieldSpecs: [{kind: RoleBinding, path: subjects/name}, {kind: RoleBinding, path: subjects/namespace}]\n`,
      }),
    ),
  ),
  'fields that lead to no reference are refused also where nothing has another name': [
    ...[
      'template: $(T)',
      'template: {spec: {volumes: [text]}}',
      'template: {spec: {volumes: 5}}',
      'template: null',
    ].map(spec =>
      tree('resources: [d.yaml]\n', {
        'd.yaml': `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {${spec}}\n`,
      }),
    ),
    ...['[text]', '[{kind: ServiceAccount}]', '[[]]', 'text', '[null]', '{}'].map(subjects =>
      tree('resources: [b.yaml]\n', { 'b.yaml': binding('ClusterRoleBinding', `subjects: ${subjects}`) }),
    ),
  ],
}
