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
    assert.equal(locate(service, origin, 'spec.type'), origin)
})

test('lines of fields of kustomization files, and of variables', () => {
  assert.equal(withLine(source, 'prod/kustomization.yaml', 'patches[1].path'), 'prod/kustomization.yaml:4')
  assert.equal(withLine(source, 'prod/kustomization.yaml', 'images'), 'prod/kustomization.yaml')
  assert.equal(withLine(source, 'nowhere.yaml', 'images'), 'nowhere.yaml')
  assert.equal(withLineOfVariable(source, 'base/list.yaml, overlay prod', 'number'), 'base/list.yaml:11, overlay prod')
  assert.equal(withLineOfVariable(source, 'base/list.yaml', 'numb'), 'base/list.yaml')
})
