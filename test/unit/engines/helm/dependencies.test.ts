import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render } from './chart-of.ts'

const sub = (name: string, values = '', template = 'v: {{ .Values | toJson }}') => ({
  [`charts/${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
  [`charts/${name}/values.yaml`]: values,
  [`charts/${name}/templates/v.yaml`]: template,
})
const parent = (dependencies: string) => ({
  'Chart.yaml': `apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n${dependencies}`,
})

/** What each chart made of its values, by the path of its template. */
const seen = async (files: Readonly<Record<string, string>>, values = '') =>
  Object.fromEntries(
    (await render(files, values)).manifests.map(({ path, content }) => [
      path.replace('/templates/v.yaml', ''),
      content.slice(3),
    ]),
  )

test('a subchart has the values below its name, the parent wins, null takes away (HR-144)', async () => {
  const files = {
    ...sub('db', 'user: root\nport: 1\nextra: {a: 1, b: 2}\n'),
    'values.yaml': 'db: {port: 2, extra: {a: null}}\nglobal: {zone: x}\n',
    'templates/v.yaml': 'v: {{ .Values.db.port }}',
  }
  assert.deepEqual(await seen(files, 'db: {user: null}\nglobal: {zone: z, deep: {q: 1}}'), {
    web: '2',
    'web/charts/db': '{"extra":{"b":2},"global":{"deep":{"q":1},"zone":"z"},"port":2}',
  })
})

test('conditions decide before tags, the first path that leads to a boolean (HR-145)', async () => {
  const files = {
    ...parent(
      '  - {name: a, version: 1.x, condition: "a.enabled,all.enabled", tags: [t]}\n  - {name: b, version: 1.x, tags: [t]}\n',
    ),
    ...sub('a'),
    ...sub('b'),
  }
  const charts = async (values: string) => Object.keys(await seen(files, values)).map(path => path.slice(-1))
  assert.deepEqual(await charts(''), ['a', 'b'])
  assert.deepEqual(await charts('tags: {t: false}'), [])
  assert.deepEqual(await charts('tags: {t: false}\na: {enabled: true}'), ['a'])
  assert.deepEqual(await charts('a: {enabled: "no"}\nall: {enabled: false}'), ['b'])
})

test('a chart may be used several times under aliases; one of another version is left out (HR-145)', async () => {
  const files = {
    ...parent(
      '  - {name: a, version: 1.x, alias: one}\n  - {name: a, version: 1.x, alias: two, condition: two.enabled}\n  - {name: b, version: ">=2"}\n',
    ),
    ...sub('a', 'v: 0\n'),
    ...sub('b'),
  }
  assert.deepEqual(await seen(files, 'one: {v: 1}\ntwo: {v: 2, enabled: true}'), {
    'web/charts/b': '{"global":{}}',
    'web/charts/one': '{"global":{},"v":1}',
    'web/charts/two': '{"enabled":true,"global":{},"v":2}',
  })
  assert.deepEqual(Object.keys(await seen(files, 'two: {enabled: false}')), ['web/charts/b', 'web/charts/one'])
})

test('a disabled chart takes its CRDs with it (HR-145)', async () => {
  const files = {
    ...parent('  - {name: a, version: 1.x, condition: a.enabled}\n'),
    ...sub('a'),
    'charts/a/crds/x.yaml': 'kind: X',
  }
  assert.equal((await render(files)).crds.length, 1)
  assert.equal((await render(files, 'a: {enabled: false}')).crds.length, 0)
})

test('values are imported from what a subchart exports, or from a path to a path (HR-146)', async () => {
  const files = {
    ...parent('  - name: a\n    version: 1.x\n    import-values: [data, {child: inner, parent: from.a}]\n'),
    ...sub('a', 'exports: {data: {p: 1, q: 2}}\ninner: {z: 3}\n', ''),
    'values.yaml': 'p: mine\n',
    'templates/v.yaml': 'v: {{ pick .Values "p" "q" "from" | toJson }}',
  }
  assert.deepEqual(await seen(files), { web: '{"from":{"a":{"z":3}},"p":"mine","q":2}' })
})

test('subcharts can be enabled by their parent', async () => {
  const files = {
    ...sub('a', 'v: 1\n', ''),
    'templates/v.yaml': 'v: {{ .Subcharts.a.Values.v }} {{ .Subcharts.a.Chart.IsRoot }}',
  }
  assert.deepEqual(await seen(files), { web: '1 false' })
})
