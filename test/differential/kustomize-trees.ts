import fc from 'fast-check'
import type { KustomizeTree } from '../bed/kustomize-oracle.ts'

/** Generated kustomization trees: a base, perhaps with a component, and up to two overlays, whose parts go together. */

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
type Fields = { [key: string]: Json }

const NAMES = ['web', 'api', 'db', 'cache-1']
const name = fc.constantFrom(...NAMES)
const word = fc.constantFrom(
  'a',
  'b',
  'x-1',
  'prod',
  'on',
  'no',
  '1',
  '0x1f',
  '1.0',
  'true',
  '',
  'with space',
  'a: b',
  '#c',
  'y',
)
const label = fc.dictionary(
  fc.constantFrom('app', 'env', 'team', 'a.b/c'),
  fc.constantFrom('a', 'on', '1', 'x y', ''),
  {
    maxKeys: 3,
  },
)
const safeLabel = fc.dictionary(
  fc.constantFrom('app', 'env', 'team', 'a.b/c'),
  fc.constantFrom('a', 'on', '1', 'x-y'),
  {
    minKeys: 1,
    maxKeys: 2,
  },
)

const scalar: fc.Arbitrary<Json> = fc.oneof(
  word,
  fc.integer({ min: -10, max: 100_000 }),
  fc.boolean(),
  fc.constantFrom<Json>(
    null,
    1.5,
    1e21,
    0.000001,
    'line one\nline two\n',
    '  lead',
    'tab\there',
    'é',
    '2024-01-01',
    '12:30',
  ),
  fc.constant('word '.repeat(25).trim()),
)

const metadata = (own: fc.Arbitrary<string>): fc.Arbitrary<Fields> =>
  fc.record(
    { name: own, namespace: fc.constantFrom('default', 'ns1', 'ns2'), labels: label, annotations: label },
    { requiredKeys: ['name'] },
  ) as fc.Arbitrary<Fields>

const container: fc.Arbitrary<Fields> = fc.record(
  {
    name: fc.constantFrom('main', 'side'),
    image: fc.constantFrom('nginx', 'nginx:1.0', 'repo:5000/img0:2', 'img1@sha256:abc', 'repo/img0:1.0.0'),
    args: fc.array(word, { maxLength: 2 }),
    env: fc.uniqueArray(
      fc.oneof(
        fc.record({ name: fc.constantFrom('A', 'B', 'C'), value: word }),
        fc.record({
          name: fc.constantFrom('D', 'E'),
          valueFrom: fc.record({ configMapKeyRef: fc.record({ name, key: fc.constant('k') }) }),
        }),
      ) as fc.Arbitrary<Fields>,
      { maxLength: 3, selector: item => item.name },
    ),
    envFrom: fc.array(fc.record({ secretRef: fc.record({ name }) }), { maxLength: 1 }),
    ports: fc.uniqueArray(
      fc.record(
        { containerPort: fc.constantFrom(80, 8080), protocol: fc.constantFrom('TCP', 'UDP') },
        { requiredKeys: ['containerPort'] },
      ),
      { maxLength: 2, selector: item => item.containerPort },
    ),
  },
  { requiredKeys: ['name', 'image'] },
) as fc.Arbitrary<Fields>

const podSpec: fc.Arbitrary<Fields> = fc.record(
  {
    serviceAccountName: name,
    containers: fc.uniqueArray(container, { minLength: 1, maxLength: 2, selector: item => item.name }),
    volumes: fc.uniqueArray(
      fc.oneof(
        fc.record({ name: fc.constantFrom('v1', 'v2'), configMap: fc.record({ name }) }),
        fc.record({ name: fc.constantFrom('v3', 'v4'), secret: fc.record({ secretName: name }) }),
        fc.record({ name: fc.constantFrom('v5'), emptyDir: fc.constant({}) }),
      ) as fc.Arbitrary<Fields>,
      { maxLength: 2, selector: item => item.name },
    ),
  },
  { requiredKeys: ['containers'] },
) as fc.Arbitrary<Fields>

const object = (
  apiVersion: string,
  kind: string,
  rest: Record<string, fc.Arbitrary<unknown>> = {},
): fc.Arbitrary<Fields> =>
  fc.record({
    apiVersion: fc.constant(apiVersion),
    kind: fc.constant(kind),
    metadata: metadata(name),
    ...rest,
  }) as fc.Arbitrary<Fields>

const resource: fc.Arbitrary<Fields> = fc.oneof(
  object('apps/v1', 'Deployment', {
    spec: fc.record(
      {
        replicas: fc.integer({ min: 0, max: 5 }),
        selector: fc.record({ matchLabels: safeLabel }),
        template: fc.record({ metadata: fc.record({ labels: safeLabel }), spec: podSpec }),
      },
      { requiredKeys: ['template'] },
    ),
  }),
  object('apps/v1', 'StatefulSet', { spec: fc.record({ serviceName: name, template: fc.record({ spec: podSpec }) }) }),
  object('batch/v1', 'CronJob', {
    spec: fc.record({ jobTemplate: fc.record({ spec: fc.record({ template: fc.record({ spec: podSpec }) }) }) }),
  }),
  object('v1', 'Service', {
    spec: fc.record({
      selector: safeLabel,
      ports: fc.uniqueArray(fc.record({ port: fc.constantFrom(80, 443), name: fc.constantFrom('http', 'tls') }), {
        maxLength: 2,
        selector: item => item.port,
      }),
    }),
  }),
  object('v1', 'ConfigMap', { data: fc.dictionary(fc.constantFrom('k', 'conf', 'x.y', '1'), word, { maxKeys: 3 }) }),
  object('v1', 'Secret', { stringData: fc.dictionary(fc.constantFrom('k', 'pw'), word, { maxKeys: 2 }) }),
  object('v1', 'ServiceAccount'),
  object('v1', 'Namespace'),
  object('rbac.authorization.k8s.io/v1', 'RoleBinding', {
    roleRef: fc.record({
      apiGroup: fc.constant('rbac.authorization.k8s.io'),
      kind: fc.constantFrom('Role', 'ClusterRole'),
      name,
    }),
    subjects: fc.array(
      fc.record({
        kind: fc.constant('ServiceAccount'),
        name: fc.oneof(name, fc.constant('default')),
        namespace: fc.constantFrom('default', 'ns1'),
      }),
      { maxLength: 2 },
    ),
  }),
  object('rbac.authorization.k8s.io/v1', 'Role', {
    rules: fc.array(
      fc.record({ resources: fc.constant(['configmaps']), resourceNames: fc.array(name, { maxLength: 2 }) }),
      { maxLength: 1 },
    ),
  }),
  object('example.com/v1', 'Widget', {
    spec: fc.dictionary(fc.constantFrom('a', 'b', 'list', 'z'), fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), {
      maxKeys: 4,
    }),
  }),
)

const patch = fc.oneof(
  fc.record({
    target: fc.record({ kind: fc.constantFrom('Deployment', 'ConfigMap', 'Service', '.*') }),
    patch: fc.constantFrom(
      '- op: add\n  path: /metadata/labels\n  value: {p: "1"}\n',
      '- op: add\n  path: /spec/paused\n  value: true\n',
      '[{"op": "add", "path": "/data", "value": {"k": "9"}}]',
      '- op: replace\n  path: /metadata/name\n  value: renamed\n',
    ),
  }),
  fc.record({
    target: fc.record({ kind: fc.constantFrom('Deployment', 'StatefulSet') }),
    patch: fc.constantFrom(
      'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: any\nspec:\n  template:\n    spec:\n      containers:\n      - name: main\n        env:\n        - name: A\n          value: patched\n        - name: Z\n          value: "on"\n      - name: added\n        image: busybox\n',
      'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: any\nspec:\n  replicas: null\n  template:\n    spec:\n      volumes:\n      - name: v1\n        $patch: delete\n',
      'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: any\n  annotations:\n    note: "2"\nspec:\n  template:\n    spec:\n      containers:\n      - name: side\n        ports:\n        - containerPort: 80\n          protocol: UDP\n      $patch: replace\n',
    ),
  }),
  fc.record({
    patch: fc
      .constantFrom('web', 'web', 'web', 'db')
      .map(one => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${one}\ndata:\n  patched: "yes"\n  k: null\n`),
  }),
) as fc.Arbitrary<Fields>

/** New ones get a name of their own per layer; what is merged or replaced is there in every base. */
const generator = fc.record(
  {
    name: fc.constantFrom('gen-a', 'gen-b'),
    behavior: fc.oneof(
      { weight: 8, arbitrary: fc.constant('create') },
      { weight: 1, arbitrary: fc.constantFrom('merge', 'replace') },
    ),
    literals: fc.uniqueArray(fc.constantFrom('a=1', 'b=two words', "c='q'", 'd='), { maxLength: 3 }),
    files: fc.constant(['conf.txt']),
    options: fc.record({ disableNameSuffixHash: fc.boolean(), labels: safeLabel }),
  },
  { requiredKeys: ['name', 'literals'] },
) as fc.Arbitrary<Fields>

const replacement = fc.record({
  source: fc.constantFrom<Fields>(
    { kind: 'ConfigMap', name: 'web', fieldPath: 'metadata.name' },
    { kind: 'ConfigMap', name: 'web', fieldPath: 'data.n' },
    { kind: 'Service', name: 'web', fieldPath: 'spec.ports.0.port' },
  ),
  targets: fc.array(
    fc.record(
      {
        select: fc.record({ kind: fc.constantFrom('Deployment', 'Widget', 'ConfigMap') }),
        fieldPaths: fc.constantFrom(
          ['spec.a'],
          ['metadata.annotations.r'],
          ['spec.template.spec.containers.[name=main].image'],
          ['data.k'],
        ),
        options: fc.record(
          { create: fc.boolean(), delimiter: fc.constantFrom('/', ':'), index: fc.constantFrom(0, 1, -1) },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ['select', 'fieldPaths'] },
    ),
    { minLength: 1, maxLength: 1 },
  ),
}) as unknown as fc.Arbitrary<Fields>

const fields: fc.Arbitrary<Fields> = fc.record(
  {
    namespace: fc.constantFrom('ns1', 'prod'),
    namePrefix: fc.constantFrom('p-', 'x'),
    nameSuffix: fc.constantFrom('-s', '1'),
    commonLabels: safeLabel,
    labels: fc.array(
      fc.record(
        { pairs: safeLabel, includeSelectors: fc.boolean(), includeTemplates: fc.boolean() },
        { requiredKeys: ['pairs'] },
      ),
      { maxLength: 2 },
    ),
    commonAnnotations: fc.dictionary(fc.constantFrom('note', 'on'), fc.constantFrom('1', 'y', 'text'), {
      minKeys: 1,
      maxKeys: 2,
    }),
    images: fc.array(
      fc.record(
        {
          name: fc.constantFrom('nginx', 'repo/img0', 'repo:5000/img0', 'img1'),
          newName: fc.constantFrom('other/nginx'),
          newTag: fc.constantFrom('2.0', 'v1'),
          digest: fc.constantFrom('sha256:def'),
        },
        { requiredKeys: ['name'] },
      ),
      { maxLength: 2 },
    ),
    patches: fc.array(patch, { maxLength: 2 }),
    configMapGenerator: fc.array(generator, { maxLength: 2 }),
    secretGenerator: fc.array(generator, { maxLength: 1 }),
    replacements: fc.array(replacement, { maxLength: 1 }),
    buildMetadata: fc.constantFrom(['originAnnotations'], ['originAnnotations', 'transformerAnnotations']),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Fields>

const yaml = (value: Json): string => `${JSON.stringify(value)}\n`

/** Objects of a base, written as JSON, which is YAML too, or with a style of their own. */
const manifest = (objects: readonly Fields[]): string => objects.map(yaml).join('---\n')

/** What patches, generators and replacements can count on. */
const ANCHORS: readonly Fields[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { k: 'v', n: '1' } },
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } },
]

const isAnchor = ({ kind, metadata }: Fields): boolean =>
  ANCHORS.some(anchor => anchor.kind === kind && (metadata as Fields).name === 'web')

const layered = (fields: Fields, layer: string): Fields => {
  const named = (list: Json | undefined, merges: boolean): Json[] =>
    ((list ?? []) as Fields[]).map((entry, i) => {
      const creates = entry.behavior === undefined || entry.behavior === 'create' || !merges
      return creates ? { ...entry, behavior: 'create', name: `${entry.name}-${layer}${i}` } : { ...entry, name: 'web' }
    })
  const out = { ...fields }
  if (fields.configMapGenerator) out.configMapGenerator = named(fields.configMapGenerator, true)
  if (fields.secretGenerator) out.secretGenerator = named(fields.secretGenerator, false)
  return out
}

export const kustomizeTrees: fc.Arbitrary<KustomizeTree> = fc
  .record({
    resources: fc.uniqueArray(resource, {
      maxLength: 6,
      selector: ({ kind, metadata }) => `${kind} ${(metadata as Fields).name}`,
    }),
    base: fields,
    component: fc.option(fields, { nil: undefined, freq: 3 }),
    overlays: fc.array(fields, { maxLength: 2 }),
    second: fc.boolean(),
  })
  .map(({ resources, base, component, overlays, second }) => {
    const files: Record<string, string> = {
      'base/all.yaml': manifest([...ANCHORS, ...resources.filter(one => !isAnchor(one))]),
      'base/conf.txt': 'key: value\n',
      'base/kustomization.yaml': yaml({ resources: ['all.yaml'], ...layered(base, 'base') }),
    }
    let path = 'base'
    overlays.forEach((overlay, i) => {
      const own = `overlay${i}`
      const extra: Fields = component && i === 0 ? { components: ['../component'] } : {}
      const bases = second && i === 1 ? [`../${path}`, '../base'] : [`../${path}`]
      files[`${own}/kustomization.yaml`] = yaml({ resources: bases, ...extra, ...layered(overlay, own) })
      files[`${own}/conf.txt`] = 'other\n'
      path = own
    })
    if (component) {
      files['component/kustomization.yaml'] = yaml({
        apiVersion: 'kustomize.config.k8s.io/v1alpha1',
        kind: 'Component',
        ...layered(component, 'component'),
      })
      files['component/conf.txt'] = 'of the component\n'
    }
    return { files, path }
  })
