import { type Trees, tree } from './tree.ts'

const object = (apiVersion: string, kind: string, name: string, more = ''): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${more}---\n`
const inNamespace = (namespace: string, more = ''): string => `  namespace: ${namespace}\n${more}`
const configMap = (name: string, more = ''): string => object('v1', 'ConfigMap', name, more)
const widget = (body: string): string => object('example.com/v1', 'Widget', 'w', `${body}\n`)
const pod = (...configMaps: readonly string[]): string =>
  object('v1', 'Pod', 'p', `spec: {volumes: [${configMaps.map(name => `{configMap: {name: ${name}}}`).join(', ')}]}\n`)

const RBAC = 'rbac.authorization.k8s.io'
const role = (more = '') => object(`${RBAC}/v1`, 'Role', 'r', more)
const roleBinding = (body: string) => object(`${RBAC}/v1`, 'RoleBinding', 'b', `${body}\n`)
const toRole = `roleRef: {apiGroup: ${RBAC}, kind: Role, name: r}\n`
const account = (namespace: string) => `subjects: [{kind: ServiceAccount, name: a, namespace: ${namespace}}]`

/** Directories, each with its kustomization and its own resources; the first one is built. */
const directories = (all: Readonly<Record<string, readonly [kustomization: string, resources?: string]>>) =>
  tree(
    '',
    Object.fromEntries(
      Object.entries(all).flatMap(([name, [kustomization, resources]]) => [
        [`${name}/kustomization.yaml`, `${kustomization}\n`],
        ...(resources === undefined ? [] : [[`${name}/all.yaml`, resources]]),
      ]),
    ),
    { path: Object.keys(all)[0]! },
  )

const names = (path: string, target = 'kind: ConfigMap') => ({
  'names.yaml': `nameReference:\n- ${target}\n  fieldSpecs:\n  - {kind: Widget, path: "${path}"}\n`,
})
/** One kustomization, and a configuration of the path at which widgets refer to others. */
const configured = (kustomization: string, path: string, resources: string, target?: string) =>
  tree(`resources: [all.yaml]\nconfigurations: [names.yaml]\n${kustomization}\n`, {
    ...names(path, target),
    'all.yaml': resources,
  })

/** A patch that gives something another kind or name. */
const renamed = (kind: string, name: string, path: string, value: string) =>
  `patches: [{target: {kind: ${kind}, name: ${name}}, patch: '[{"op": "replace", "path": "${path}", "value": "${value}"}]', options: {allowNameChange: true, allowKindChange: true}}]`

export const trees: Trees = {
  'takes null for no reference, though something may be named so': [
    configured('namePrefix: p-', 'ref', `${configMap('"null"')}${widget('ref: null')}`),
    configured('namePrefix: p-', 'ref', `${configMap('"null"')}${widget('ref: [null, "null"]')}`),
    configured('namePrefix: p-', 'ref', `${configMap('"~"')}${widget('ref: ~')}`),
  ],
  'leaves a reference as it is written when the name has not changed': [
    configured('namespace: moved', 'ref', `${configMap('"5"')}${widget('ref: !!int "5"')}`),
    configured('namespace: moved', 'ref', `${configMap('"5"')}${widget('ref: {name: !!int "5"}')}`),
    directories({
      top: [
        `resources: [../base, all.yaml]\nconfigurations: [../names/names.yaml]\n${renamed('ConfigMap', 'p-5', '/metadata/name', '5')}`,
        widget('ref: {name: !!int "5"}'),
      ],
      base: ['namePrefix: p-\nresources: [all.yaml]', configMap('"5"')],
      names: [''],
    }),
  ].map(one => ({ ...one, files: { ...one.files, 'names/names.yaml': names('ref')['names.yaml'] } })),
  'follows a reference once, though the new name was the name of another': [
    configured('namePrefix: p-', 'ref', `${configMap('a')}${configMap('p-a')}${widget('ref: a')}`),
    configured('namePrefix: p-', 'ref', `${configMap('a')}${configMap('p-a')}${widget('ref: [p-a, a]')}`),
    configured('namePrefix: p-', 'refs[]/name', `${configMap('a')}${configMap('p-a')}${widget('refs: [{name: a}]')}`),
  ],
  'looks in a namespace that something was in first, and nowhere else': [
    configured(
      'namePrefix: p-\nnamespace: moved',
      'ref',
      `${configMap('b', inNamespace('far'))}${configMap('c', inNamespace('moved'))}${widget('ref: {name: b, namespace: moved}')}`,
    ),
    configured(
      'namePrefix: p-\nnamespace: moved',
      'ref',
      `${configMap('b', inNamespace('far'))}${configMap('c', inNamespace('far2'))}${widget('ref: {name: b, namespace: moved}')}`,
    ),
    configured(
      'namePrefix: p-\nnamespace: moved',
      'ref',
      `${configMap('b')}${object('v1', 'Namespace', 'moved')}${widget('ref: {name: b, namespace: moved}')}`,
    ),
    configured(
      'namePrefix: p-',
      'ref',
      `${object('v1', 'Namespace', 'n')}${widget('ref: {name: n, namespace: _non_namespaceable_}')}`,
      'kind: Namespace',
    ),
  ],
  'follows references by kinds that were changed since': [
    directories({
      top: [
        `resources: [../base, all.yaml]\n${renamed('ConfigMap', 'p-a', '/kind', 'Secret')}\nnamePrefix: q-`,
        pod('a', 'p-a'),
      ],
      base: ['resources: [all.yaml]\nnamePrefix: p-', configMap('a') + pod('a').replace('name: p\n', 'name: inner\n')],
    }),
    directories({
      top: [
        `resources: [../base, all.yaml]\n${renamed('Role', 'p-r', '/kind', 'Other')}\nnamePrefix: q-`,
        roleBinding(toRole.replace('name: r', 'name: p-r')),
      ],
      base: ['resources: [all.yaml]\nnamePrefix: p-', role()],
    }),
    configured(
      `namePrefix: p-\n${renamed('Widget', 'w', '/kind', 'Gadget')}`,
      'refs[]/name',
      `${configMap('a')}${widget('refs: [{name: a}]')}`,
    ),
    configured(
      `namePrefix: p-\n${renamed('Widget', 'w', '/kind', 'Gadget')}`,
      'refs/name',
      `${configMap('a')}${widget('refs: [{name: a}]')}`,
    ),
  ],
  'goes to the only one that is meant whatever its prefix, and among several to those with the same': [
    directories({
      top: ['resources: [../one, ../two]'],
      one: ['resources: [all.yaml]\nnamePrefix: one-', configMap('c')],
      two: ['resources: [all.yaml]\nnamePrefix: two-', pod('c')],
    }),
    directories({
      top: ['resources: [../s, ../pod, ../t]'],
      s: ['resources: [../inner]\nnameSuffix: -s'],
      inner: ['resources: [all.yaml]\nnamePrefix: p-', configMap('c')],
      pod: ['resources: [all.yaml]\nnameSuffix: -s', pod('c')],
      t: ['resources: [all.yaml]\nnameSuffix: -t', configMap('c')],
    }),
    directories({
      top: ['resources: [../s, ../pod, ../t]'],
      s: ['resources: [../inner]\nnamePrefix: s-'],
      inner: ['resources: [all.yaml]\nnameSuffix: -p', configMap('c')],
      pod: ['resources: [all.yaml]\nnamePrefix: s-', pod('c')],
      t: ['resources: [all.yaml]\nnamePrefix: t-', configMap('c')],
    }),
  ],
  'takes what has the same name and namespace for the same, and nothing else': [
    ...['namePrefix: x-', 'nameSuffix: -x'].map(affix =>
      directories({
        top: [
          `resources: [../one, ../two, all.yaml]\n${affix}`,
          object(
            'admissionregistration.k8s.io/v1',
            'ValidatingWebhookConfiguration',
            'h',
            'webhooks: [{name: a, clientConfig: {service: {name: s}}}]\n',
          ),
        ],
        one: ['resources: [all.yaml]\nnamespace: one', object('v1', 'Service', 's')],
        two: ['resources: [all.yaml]\nnamespace: two', object('v1', 'Service', 's')],
      }),
    ),
    configured(
      'namePrefix: x-\nnamespace: moved',
      'ref',
      `${object('v1', 'Service', 's')}${object('serving.knative.dev/v1', 'Service', 's')}${widget('ref: {name: s}')}`,
      'kind: Service',
    ),
  ],
  'finds roles in the own namespace, though accounts may be of others': [
    directories({
      top: ['resources: [../far, all.yaml]', roleBinding(toRole + account('far'))],
      far: ['resources: [all.yaml]\nnamePrefix: f-\nnamespace: far', role() + object('v1', 'ServiceAccount', 'a')],
    }),
    directories({
      top: ['resources: [../far, all.yaml]\nnamespace: own', roleBinding(toRole + account('far')) + role()],
      far: [
        'resources: [all.yaml]\nnamePrefix: f-',
        role(inNamespace('far')) + object('v1', 'ServiceAccount', 'a', inNamespace('far')),
      ],
    }),
  ],
  'reads namespaces of subjects in role bindings only, and roles where a role is named': [
    configured(
      'namePrefix: p-',
      'subjects',
      `${object('v1', 'ServiceAccount', 'a')}${widget('subjects: [{kind: ServiceAccount, name: a, namespace: 5}]')}`,
      'kind: ServiceAccount',
    ),
    configured(
      'namePrefix: p-',
      'subjects',
      `${object('v1', 'ServiceAccount', 'a', inNamespace('far'))}${widget(account('far'))}`,
      'kind: ServiceAccount',
    ),
    configured(
      'namePrefix: p-',
      'roleRef/nameRef',
      `${configMap('a')}${widget('roleRef: {apiGroup: other, kind: Other, nameRef: a}')}`,
    ),
    configured(
      'namePrefix: p-',
      'deep/roleRef/name',
      `${configMap('a')}${widget('deep: {roleRef: {name: a}}\nroleRef: {apiGroup: other, kind: Other}')}`,
    ),
  ],
}
