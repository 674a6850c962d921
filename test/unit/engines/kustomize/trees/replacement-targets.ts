import { type Trees, tree } from './tree.ts'

const object = (apiVersion: string, kind: string, name: string, more = ''): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${more}---\n`
const inNamespace = (namespace: string, more = ''): string => `  namespace: ${namespace}\n${more}`

const files = {
  'all.yaml': [
    object('v1', 'ConfigMap', 'source', '  labels: {app: web, tier: one}\ndata: {to: x}\n'),
    object('v1', 'ConfigMap', 'other', inNamespace('default', '  annotations: {app: web}\n')),
    object('v1', 'ConfigMap', 'other', inNamespace('far', '  labels: {app: web}\n')),
    object('apps/v1', 'Deployment', 'web', inNamespace('far', '  labels: {app: web, tier: two}\n')),
    object('example.com/v1', 'Deployment', 'web'),
    object('example.com/v2', 'Deployment', 'web2', '  annotations: {app: other}\n'),
    object('v1', 'Namespace', 'far'),
    object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'web'),
  ].join(''),
}

const given = (targets: string) =>
  tree(`resources: [all.yaml]\nreplacements: [{sourceValue: v, targets: ${targets}}]\n`, files)
const into = (select: string, reject = '', options = 'create: true') =>
  given(`[{select: {${select}}, reject: [${reject}], fieldPaths: [spec.x], options: {${options}}}]`)
const from = (source: string) =>
  tree(
    `resources: [all.yaml]\nreplacements:\n- source: {${source}}\n  targets:\n  - {select: {kind: ConfigMap, name: source}, fieldPaths: [data.to]}\n`,
    files,
  )

/** The objects renamed and moved by a base, and replaced above it. */
const above = (replacement: string, base = 'namePrefix: p-\nnamespace: moved\n') => ({
  path: 'over',
  files: {
    'base/all.yaml': files['all.yaml'].replace('name: other\n  namespace: far', 'name: another\n  namespace: far'),
    'base/kustomization.yaml': `resources: [all.yaml]\n${base}`,
    'over/kustomization.yaml': `resources: [../base]\nnameSuffix: -s\nreplacements:\n- ${replacement}\n`,
  },
})
const targetAbove = (select: string) =>
  above(`{sourceValue: v, targets: [{select: {${select}}, fieldPaths: [spec.x], options: {create: true}}]}`)
const sourceAbove = (source: string) =>
  above(`{source: {${source}}, targets: [{select: {kind: Namespace}, fieldPaths: [spec.x], options: {create: true}}]}`)

export const trees: Trees = {
  'chooses targets by patterns of what names them': [
    into(''),
    into('kind: Deployment'),
    into('kind: Deploy.*|ConfigMap'),
    into('kind: Deploy'),
    into('group: example.com'),
    into('group: example.com, version: v2'),
    into('version: v.'),
    into('name: web'),
    into('name: web.?'),
    into('namespace: default'),
    into('namespace: far'),
    into('namespace: ".*"'),
    into('namespace: _non_namespaceable_'),
    into('name: "("'),
    into('kind: "["'),
    into('group: "*"'),
    into('version: "a{2,1}"'),
    into('namespace: "\\\\q"'),
  ],
  'chooses targets by labels and annotations': [
    into('labelSelector: app=web'),
    into('annotationSelector: app=web'),
    into('annotationSelector: app'),
    into('labelSelector: app=web, annotationSelector: app=web'),
    into('labelSelector: app=web, kind: ConfigMap'),
  ],
  'leaves out targets that are rejected': [
    into('', 'kind: Deployment'),
    into('', '{kind: Deployment, group: example.com}'),
    into('', '{group: example.com}'),
    into('', '{group: example.com, version: v1}'),
    into('', '{version: v1}'),
    into('', '{name: other}'),
    into('', '{namespace: far}'),
    into('', '{kind: ConfigMap}, {kind: Namespace}'),
    into('', '{}'),
    into('', '{labelSelector: app=web}'),
    into('', '{labelSelector: app=web, kind: Deployment}'),
    into('', '{labelSelector: tier}, {annotationSelector: app}'),
    into('', '{annotationSelector: app=web, labelSelector: app=web}'),
    into('', '{name: "("}'),
    into('kind: Namespace', '{kind: Namespace, name: near}'),
    into('kind: Namespace', '{kind: Name}'),
  ],
  'goes to several targets and fields, or says which cannot be': [
    given('[{select: {kind: ConfigMap}, fieldPaths: [metadata.labels.app, metadata.name]}]'),
    given('[{select: {name: source}, fieldPaths: [data.to]}, {select: {kind: Deployment}, fieldPaths: [spec.none]}]'),
    given('[{select: {kind: Deployment}}]'),
    given('[{select: {kind: Nobody}, fieldPaths: [spec.none]}]'),
    given('[{}]'),
    given('null'),
    given('[{select: {kind: Namespace}, fieldPaths: [metadata.name.*.x], options: {create: true}}]'),
  ],
  'takes the source by what names it, without a namespace in all of them': [
    from('kind: Namespace'),
    from('name: source'),
    from('kind: ConfigMap, namespace: far'),
    from('kind: ConfigMap, namespace: default'),
    from('kind: ConfigMap, name: source, namespace: default'),
    from('kind: ConfigMap, name: source, namespace: far'),
    from('kind: ConfigMap, name: other'),
    from('kind: ConfigMap, name: other, namespace: default'),
    from('group: example.com, version: v2'),
    from('group: example.com, kind: Deployment, version: v1'),
    from('group: apps'),
    from('kind: ClusterRole, namespace: default'),
    from('kind: ClusterRole, namespace: _non_namespaceable_'),
    from('kind: Namespace, namespace: far'),
    from('kind: Deploy.*'),
    from('version: v2, name: web'),
    from('name: web, namespace: default'),
  ],
  'finds source and targets by what they are called, and by what they were called before': [
    targetAbove('name: source'),
    targetAbove('name: p-source'),
    targetAbove('name: p-source-s'),
    targetAbove('name: source-s'),
    targetAbove('namespace: far'),
    targetAbove('namespace: moved'),
    targetAbove('namespace: default'),
    targetAbove('name: other, namespace: moved'),
    targetAbove('name: p-.*, namespace: default'),
    sourceAbove('name: source'),
    sourceAbove('name: p-source'),
    sourceAbove('name: p-source-s'),
    sourceAbove('name: source-s'),
    sourceAbove('kind: Deployment, namespace: far'),
    sourceAbove('kind: Deployment, namespace: moved, version: v2'),
    sourceAbove('kind: ConfigMap, name: other, namespace: moved'),
    sourceAbove('kind: ConfigMap, name: other, namespace: default'),
    sourceAbove('kind: ClusterRole, name: web, namespace: default'),
    sourceAbove('kind: ClusterRole, namespace: moved'),
    sourceAbove('kind: Namespace, namespace: moved'),
  ],
}
