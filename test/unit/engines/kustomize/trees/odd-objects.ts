import { type Trees, tree } from './tree.ts'

const object = (apiVersion: string, kind: string, more: string) => `apiVersion: ${apiVersion}\nkind: ${kind}\n${more}`
const built = (lines: string, ...objects: readonly string[]) =>
  tree(`resources: [r.yaml]\n${lines}`, { 'r.yaml': objects.join('---\n') })

/** Objects that kustomize lets in without metadata. */
const LIST = object('v1', 'OddList', 'a: 1\n')
const NAMED = object('v1', 'ConfigMap', 'metadata: {name: a, namespace: ns}\n')

const patched = (patch: string, options: string) =>
  built(`patches: [{target: {kind: .*}, patch: '${patch}'${options}}]\n`, LIST, NAMED)

const FREE = ', options: {allowNameChange: true, allowKindChange: true}'

/** A field of which nothing can be made, by one spec or the other: the message tells which came first. */
const failing = (apiVersion: string, kind: string, ...specs: readonly string[]) =>
  tree('resources: [r.yaml]\nnamePrefix: p-\nconfigurations: [c.yaml]\n', {
    'r.yaml': object(apiVersion, kind, `metadata: {name: a}\n${specs.map((_, i) => `f${i}: {}\n`).join('')}`),
    'c.yaml': `namePrefix:\n${specs.map((spec, i) => `- {path: f${i}, ${spec}}\n`).join('')}`,
  })

const inOrders = (apiVersion: string, kind: string) => {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  const specs = ['create: false', `kind: ${kind}`, `version: ${version}`, ...(group ? [`group: ${group}`] : [])]
  return specs.flatMap((one, i) =>
    specs.slice(i + 1).flatMap(other => [failing(apiVersion, kind, one, other), failing(apiVersion, kind, other, one)]),
  )
}

/** One object is in one namespace first and in another then. */
const moved = (namespace: string) =>
  tree(
    `resources: [base]\npatches: [{target: {namespace: ${namespace}}, patch: '[{"op": "add", "path": "/x", "value": 1}]'}]\n`,
    {
      'base/kustomization.yaml': 'resources: [r.yaml]\nnamespace: then\n',
      'base/r.yaml': object('v1', 'ConfigMap', 'metadata: {name: a, namespace: first}\n'),
    },
  )

const ARGS = object('v1', 'Pod', 'metadata: {name: p}\nspec: {containers: [{name: c, args: ["$(V)"]}]}\n')

const ofVar = (objref: string) =>
  built(
    `vars: [{name: V, objref: {apiVersion: v1, ${objref}}, fieldref: {fieldPath: data.x}}]\n`,
    ...['a', 'b'].map(name =>
      object('v1', 'ConfigMap', `metadata: {name: ${name}, namespace: ns}\ndata: {x: ${name}}\n`),
    ),
    ARGS,
  )

export const trees: Trees = {
  'objects without metadata get it when something is written there': [
    ...['', FREE].flatMap(options =>
      ['{name: x}', '{name: x, namespace: null}', ...(options ? [] : ['{name: x, $patch: delete}'])].flatMap(metadata =>
        ['x: 1', 'a: null'].map(more =>
          patched(`{apiVersion: v1, kind: Odd, metadata: ${metadata}, ${more}}`, options),
        ),
      ),
    ),
    built('buildMetadata: [originAnnotations]\n', LIST),
    built('namePrefix: p-\nnamespace: ns\ncommonAnnotations: {x: w}\ncommonLabels: {x: w}\n', LIST),
  ],
  'specs of kinds come before and behind those of all, as kinds are sorted': [
    ['v1', 'Namespace'],
    ['example.com/v1', 'Namespace'],
    ['v1', 'ConfigMap'],
    ['policy/v1', 'PodDisruptionBudget'],
    ['example.com/v1', 'Widget'],
    ['example.com/v1', '~Widget'],
    ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'],
    ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
  ].flatMap(([apiVersion, kind]) => inOrders(apiVersion!, kind!)),
  'an object is selected by the namespaces that it is and was in': ['first', 'then', 'default', '.*i.*'].map(moved),
  'vars are of the object of a name in a namespace': [
    'kind: ConfigMap, name: a, namespace: ns',
    'kind: ConfigMap, name: b, namespace: ns',
    'kind: ConfigMap, name: b',
    'kind: ConfigMap, name: c, namespace: ns',
  ].map(ofVar),
  'a var without a name is of an object without one, and the first var by name is missed first': [
    built('vars: [{name: V, objref: {apiVersion: v1, kind: OddList}, fieldref: {fieldPath: a}}]\n', LIST, ARGS),
    built(
      `vars: [${['VB', 'VA', 'VC'].map(name => `{name: ${name}, objref: {apiVersion: v1, kind: None, name: x}}`).join()}]\n`,
      ARGS,
    ),
  ],
}
