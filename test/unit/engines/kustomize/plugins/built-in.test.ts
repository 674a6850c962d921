import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONFIG_MAP, GROUP, generates, generating, pluginScene, prints } from './plugin-scene.ts'

/** What kustomize has built in goes together with plugins. */

const SECRET_AND_USER = {
  'kustomization.yaml':
    'resources: [base, pod.yaml]\nsecretGenerator: [{name: s, literals: [k=v]}]\nconfigMapGenerator: [{name: c, literals: [k=v]}]\ngenerators: [app.yaml]\n',
  'app.yaml': generating['app.yaml']!,
  'base/kustomization.yaml': 'resources: [a.yaml]\n',
  'base/a.yaml': CONFIG_MAP,
  'pod.yaml':
    'apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod\nspec:\n  containers:\n  - {name: main, image: nginx, envFrom: [{secretRef: {name: s}}, {configMapRef: {name: made}}]}\n',
}

test('KX-055 KX-058: bases, secretGenerator and configMapGenerator work beside a plugin, and references follow their names', async () => {
  const { install, build } = pluginScene()
  install(generates(prints('made')))
  const output = await build(SECRET_AND_USER)
  const names = output.match(/^ {2}name: .+/gm)?.map(line =>
    line
      .trim()
      .slice(6)
      .replace(/-[a-z0-9]{10}$/, '-HASH'),
  )
  assert.deepEqual(names, ['a', 'pod', 'c-HASH', 's-HASH', 'made'])
  assert.match(output, /secretRef:\n {8}name: s-[a-z0-9]{10}\n/)
})

test('KX-056 KX-057: labels, annotations, images, patches, prefix, suffix and namespace reach what a plugin made', async () => {
  const { install, build } = pluginScene()
  install(generates(prints('made', 'data: {k: v}')))
  const output = await build({
    ...SECRET_AND_USER,
    'kustomization.yaml': `${SECRET_AND_USER['kustomization.yaml']}namePrefix: p-
nameSuffix: -s
namespace: ns
commonLabels: {l: "1"}
commonAnnotations: {note: "2"}
images: [{name: nginx, newTag: "9"}]
patches:
- {patch: '[{"op": "replace", "path": "/data/k", "value": "patched"}]', target: {name: made}}
`,
  })
  const made =
    'apiVersion: v1\ndata:\n  k: patched\nkind: ConfigMap\nmetadata:\n  annotations:\n    note: "2"\n  labels:\n    l: "1"\n  name: p-made-s\n  namespace: ns\n'
  assert.ok(output.includes(made), output)
  assert.match(output, /image: nginx:9/)
  assert.match(output, /configMapRef:\n {8}name: p-made-s\n/)
})

test('KX-059: a plugin can render charts: a virtual resource names a path and values (the first story of the KEP)', async () => {
  const { install, build } = pluginScene()
  install(
    generates(
      'chart=$(cat)',
      `path=$(echo "$chart" | sed -n 's/^path: //p')`,
      `replicas=$(echo "$chart" | sed -n 's/^  replicas: //p')`,
      `sed "s/{{ .Values.replicas }}/$replicas/" "$path"/templates/*.yaml`,
    ),
  )
  const output = await build({
    'kustomization.yaml': 'generators: [chart.yaml]\nnamePrefix: prod-\n',
    'chart.yaml': `apiVersion: ${GROUP}/v1\nkind: Chart\nmetadata: {name: web}\npath: charts/web\nvalues:\n  replicas: 3\n`,
    'charts/web/templates/deployment.yaml':
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: {{ .Values.replicas }}}\n',
  })
  assert.equal(output, 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: prod-web\nspec:\n  replicas: 3\n')
})

test('KX-060: a plugin can default what is missing, and the difference shows it (the third story of the KEP)', async () => {
  const { install, build } = pluginScene()
  install(`input=$(cat); owner=$(echo "$input" | sed -n 's/^owner: //p')
echo "$input" | sed -n '/^---/,$p' | sed 1d | sed "s/^  name: .*/&\\n  annotations: {owner: $owner}/"`)
  const files = { 'a.yaml': CONFIG_MAP, 'owner.yaml': `apiVersion: ${GROUP}/v1\nkind: Defaults\nowner: blue\n` }
  const before = await build({ ...files, 'kustomization.yaml': 'resources: [a.yaml]\n' })
  const after = await build({ ...files, 'kustomization.yaml': 'resources: [a.yaml]\ntransformers: [owner.yaml]\n' })
  assert.equal(after, before.replace('  name: a\n', '  annotations:\n    owner: blue\n  name: a\n'))
})
