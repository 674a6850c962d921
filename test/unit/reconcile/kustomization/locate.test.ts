import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { locateIn, withLine, withLineOfVariable } from '../../../../lib/reconcile/kustomization/build/locate.ts'

const files = (texts: Readonly<Record<string, string>>) => ({
  read: (path: string) => (path in texts ? Buffer.from(texts[path]!) : undefined),
  list: (folder: string) =>
    Object.keys(texts)
      .filter(path => path.slice(0, Math.max(path.lastIndexOf('/'), 0)) === folder)
      .map(path => path.slice(path.lastIndexOf('/') + 1)),
})

const source = files({
  'base/all.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: config}
data:
  n: 1
---
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  ports:
    - name: a
      port: 80
    - name: b
      port: 99999
`,
  'base/list.yaml': `apiVersion: v1
kind: ConfigMapList
items:
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: first}
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: second}
    data:
      x: \${number}
`,
  'prod/patch.yaml': `apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  type: Nonsense
`,
  'prod/kustomization.yaml': 'resources: [../base]\npatches:\n  - path: patch.yaml\n  - path: gone.yaml\n',
  'odd.yaml': 'a: [',
})
const locate = locateIn(source)
const object = (kind: string, name: string, content: object = {}) =>
  ({ apiVersion: 'v1', kind, metadata: { name }, ...content }) as KubernetesObject
const ports = [
  { name: 'a', port: 80 },
  { name: 'b', port: 99999 },
]
const service = object('Service', 'prod-web', { spec: { type: 'Nonsense', ports } })

test('the line of a field, by the path that an API server writes', () => {
  assert.equal(locate(service, 'base/all.yaml', 'spec.ports[1].port'), 'base/all.yaml:16')
  assert.equal(locate(service, 'base/all.yaml', '.spec.ports[name="b"].port'), 'base/all.yaml:16')
  assert.equal(locate(object('ConfigMap', 'config', { data: { n: 1 } }), 'base/all.yaml', '.data.n'), 'base/all.yaml:5')
})

test('in the overlay where it is set there, else in the base, else the object itself', () => {
  assert.equal(locate(service, 'base/all.yaml, overlay prod', 'spec.type'), 'prod/patch.yaml:5')
  assert.equal(locate(service, 'base/all.yaml, overlay prod', 'spec.ports[1].port'), 'base/all.yaml:16, overlay prod')
  assert.equal(locate(service, 'base/all.yaml', 'spec.clusterIP'), 'base/all.yaml:7')
  assert.equal(locate(service, 'base/all.yaml'), 'base/all.yaml:7')
})

const replicas = (value: unknown) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { replicas: value },
})
const deployment = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n'
const merge = (value: string) => `${deployment}spec:\n  replicas: ${value}\n`
const placeOfReplicas = (kustomization: string, more: Readonly<Record<string, string>> = {}, origin = 'app/d.yaml') =>
  locateIn(files({ 'app/d.yaml': deployment, 'app/kustomization.yaml': kustomization, ...more }))(
    replicas('three') as unknown as KubernetesObject,
    origin,
    '.spec.replicas',
  )
const indented = (text: string) => text.replaceAll(/^/gm, '    ').trimEnd()

test('in the patch of a kustomization file that sets it, be it merged or JSON, inline or in a file', () => {
  const inline = `resources: [d.yaml]\npatches:\n- patch: |-\n${indented(merge('three'))}\n`
  assert.equal(placeOfReplicas(inline), 'app/kustomization.yaml:8')
  const strategic = `resources: [d.yaml]\npatchesStrategicMerge:\n- |\n${indented(merge('three'))}\n`
  assert.equal(placeOfReplicas(strategic), 'app/kustomization.yaml:8')
  const operations =
    '- op: test\n  path: /kind\n  value: Deployment\n- op: add\n  path: /spec/replicas\n  value: three\n'
  const json = `patches:\n- target: {kind: Deployment}\n  patch: |-\n${indented(operations)}\n`
  assert.equal(placeOfReplicas(json), 'app/kustomization.yaml:9')
  const whole = 'patchesJson6902:\n- target: {version: v1, kind: Deployment, name: web}\n  path: ops.yaml\n'
  const ops = {
    'app/ops.yaml':
      '- {op: add, path: /metadata/labels, value: {a: b}}\n- op: add\n  path: /spec\n  value:\n    replicas: three\n',
  }
  assert.equal(placeOfReplicas(whole, ops), 'app/ops.yaml:5')
  assert.equal(
    placeOfReplicas('patches:\n- path: p.yaml\n  target: {kind: Deployment}\n', { 'app/p.yaml': merge('three') }),
    'app/p.yaml:5',
  )
  assert.equal(
    placeOfReplicas(
      `patches:\n- patch: '[{"op": "add", "path": "/spec/replicas", "value": "three"}]'\n  target: {name: .*}\n`,
    ),
    'app/kustomization.yaml:2',
  )
})

test('in the patch that is applied last, and in components and overlays between', () => {
  const twice = `patches:\n- patch: |-\n${indented(merge('three'))}\n- patch: |-\n${indented(merge('three'))}\n`
  assert.equal(placeOfReplicas(twice), 'app/kustomization.yaml:13')
  const layers = {
    'prod/kustomization.yaml': 'resources: [../middle/]\ncomponents: [../part]\n',
    'middle/kustomization.yaml': 'resources: [../app, "https://example.com/x"]\npatches: [{path: p.yaml}]\n',
    'middle/p.yaml': merge('three'),
    'part/kustomization.yaml': 'kind: Component\n',
  }
  const origin = 'app/d.yaml, overlay prod'
  assert.equal(placeOfReplicas('resources: [d.yaml]', layers, origin), 'middle/p.yaml:5')
  const component = {
    ...layers,
    'part/kustomization.yaml': `kind: Component\npatches:\n- patch: |-\n${indented(merge('three'))}\n`,
  }
  assert.equal(placeOfReplicas('resources: [d.yaml]', component, origin), 'part/kustomization.yaml:8')
})

test('not in a patch that sets another value, another object or another field', () => {
  const none = 'app/d.yaml:1'
  const inline = (text: string, target = '') => `patches:\n- patch: |-\n${indented(text)}\n${target}`
  assert.equal(placeOfReplicas(inline(merge('3'))), none)
  assert.equal(placeOfReplicas(inline(merge('three').replace('web', 'other'))), none)
  assert.equal(placeOfReplicas(inline(merge('three'), '  target: {kind: StatefulSet}\n')), none)
  assert.equal(placeOfReplicas(inline('- {op: add, path: /spec/paused, value: three}')), none)
  assert.equal(placeOfReplicas(inline('- {op: add, path: /spec/replicas/0, value: three}')), none)
  assert.equal(placeOfReplicas(inline('- {op: add, path: /spec/replicas, value: four}')), none)
  assert.equal(placeOfReplicas(inline('- {op: remove, path: /spec/replicas}')), none)
  assert.equal(placeOfReplicas('patches: [{path: gone.yaml}, {}]'), none)
})

test('items of lists in JSON patches, by index, at the end, and by the name that an API server reports', () => {
  const containers = [{ name: 'a' }, { name: 'main', image: 7 }]
  const pod = object('Pod', 'web', { spec: { containers } })
  const place = (path: string, value: string) =>
    locateIn(
      files({
        'd.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n',
        'kustomization.yaml': `patches:\n- target: {kind: Pod}\n  patch: |-\n    - op: add\n      path: ${path}\n      value: ${value}\n`,
      }),
    )(pod, 'd.yaml', 'spec.containers[name="main"].image')
  assert.equal(place('/spec/containers/1/image', '7'), 'kustomization.yaml:6')
  assert.equal(place('/spec/containers/-', '{name: main, image: 7}'), 'kustomization.yaml:6')
  assert.equal(place('/spec/containers/0/image', '7'), 'd.yaml:1')
})

test("in the Kustomization's own patches", () => {
  const spec = { patches: [{ patch: merge('2') }, { patch: merge('three'), target: { kind: 'Deployment' } }] }
  const tree = files({ 'd.yaml': deployment })
  const named = locateIn(tree, spec)(replicas('three') as unknown as KubernetesObject, 'd.yaml', 'spec.replicas')
  assert.equal(named, 'spec.patches[1] line 5, d.yaml')
})

test('the generator of a generated object', () => {
  const tree = files({
    'k/kustomization.yaml':
      'namePrefix: a-\nconfigMapGenerator:\n- name: one\n- name: two\nsecretGenerator:\n- literals: [a=b]\n  name: three\n',
  })
  const place = (kind: string, name: string) =>
    locateIn(tree)(object(kind, name), 'k/kustomization.yaml', 'metadata.name')
  assert.equal(place('ConfigMap', 'a-two-4h2mbtbbt6'), 'k/kustomization.yaml:4')
  assert.equal(place('Secret', 'a-three-4h2mbtbbt6'), 'k/kustomization.yaml:6')
  assert.equal(place('ConfigMap', 'other'), 'k/kustomization.yaml')
})

test('a value of a variable, and items of lists', () => {
  const second = object('ConfigMap', 'second', { data: { x: 3 } })
  assert.equal(locate(second, 'base/list.yaml', '.data.x'), 'base/list.yaml:11')
})

test("a value that differs from the file's was set elsewhere: the object's line is reported", () => {
  const moved = object('Service', 'web', { spec: { ports: [{ name: 'a', port: -1 }] } })
  assert.equal(locate(moved, 'base/all.yaml', 'spec.ports[0].port'), 'base/all.yaml:7')
})

test('an origin that is not found is unchanged', () => {
  for (const origin of ['nowhere.yaml', 'odd.yaml', 'prod/kustomization.yaml'])
    assert.equal(locate(service, origin, 'spec.clusterIP'), origin)
})

test('lines of fields of kustomization files, and of variables', () => {
  assert.equal(withLine(source, 'prod/kustomization.yaml', 'patches[1].path'), 'prod/kustomization.yaml:4')
  assert.equal(withLine(source, 'prod/kustomization.yaml', 'images'), 'prod/kustomization.yaml')
  assert.equal(withLine(source, 'nowhere.yaml', 'images'), 'nowhere.yaml')
  assert.equal(withLineOfVariable(source, 'base/list.yaml, overlay prod', 'number'), 'base/list.yaml:11, overlay prod')
  assert.equal(withLineOfVariable(source, 'base/list.yaml', 'numb'), 'base/list.yaml')
})
