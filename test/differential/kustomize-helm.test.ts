import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { helmBinary } from '../bed/helm-binary.ts'
import { program } from '../bed/keelson-program.ts'
import { tempDir } from '../bed/temp-dir.ts'
import { chartServer } from '../examples/chart-server.ts'

const run = promisify(execFile)

const CHART = {
  'charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'charts/web/values.yaml': 'replicas: 1\nnested: {a: 1, b: 2}\n',
  'charts/web/crds/crd.yaml':
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: things.example.com\n',
  'charts/web/templates/all.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-web
  namespace: {{ .Release.Namespace }}
data:
  values: {{ .Values | toJson | quote }}
  kubernetes: {{ .Capabilities.KubeVersion.Version | quote }}
  has: {{ .Capabilities.APIVersions.Has "a.example.com/v1" | quote }}
`,
}

const KUSTOMIZATION = `namePrefix: p-
namespace: prod
helmCharts:
- name: web
  releaseName: first
  includeCRDs: true
  valuesInline: {replicas: 3, nested: {b: 4}}
- name: web
  releaseName: second
  namespace: own
  valuesMerge: merge
  valuesInline: {replicas: 3, more: true}
  additionalValuesFiles: [more.yaml]
`

/** What kustomize 5.8.2 printed of them, with the same helm. */
const RENDERED = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
---
apiVersion: v1
data:
  has: "true"
  kubernetes: v1.33.0
  values: '{"more":true,"nested":{"a":1,"b":2},"replicas":5}'
kind: ConfigMap
metadata:
  name: p-second-web
  namespace: own
---
apiVersion: v1
data:
  has: "true"
  kubernetes: v1.33.0
  values: '{"nested":{"a":1,"b":4},"replicas":3}'
kind: ConfigMap
metadata:
  name: p-first-web
  namespace: prod
`

const renderers = {
  'the built-in engine': async () => [],
  'the real helm': async () => ['--helm-command', await helmBinary()],
}

for (const [renderer, flags] of Object.entries(renderers)) {
  test(`renders charts with ${renderer} to the bytes of the real kustomize`, async () => {
    const dir = tempDir({ ...CHART, 'kustomization.yaml': KUSTOMIZATION, 'more.yaml': 'replicas: 5\n' })
    const versions = ['--helm-kube-version', 'v1.33.0', '--helm-api-versions', 'a.example.com/v1']
    const args = ['kustomize', dir, '--enable-helm', ...(await flags()), ...versions]
    const { stdout } = await run(process.execPath, [program, ...args])
    assert.equal(stdout, RENDERED)
  })
}

test('pulls charts from a repository without helm', async () => {
  const entry = `{name: podinfo, repo: ${await chartServer()}, version: 6.x, releaseName: r, namespace: far}`
  const dir = tempDir({ 'kustomization.yaml': `helmCharts: [${entry}]\n` })
  const { stdout } = await run(process.execPath, [program, 'kustomize', dir, '--enable-helm'])
  assert.match(stdout, /^kind: Deployment\nmetadata:\n {2}name: r\n {2}namespace: far$/m)
})

test('names releases as helm does', async () => {
  const entries = '[{name: web, nameTemplate: \'a-{{ upper "B" | lower }}\'}, {name: web}]'
  const dir = tempDir({ ...CHART, 'kustomization.yaml': `helmCharts: ${entries}\n` })
  const { stdout } = await run(process.execPath, [program, 'kustomize', dir, '--enable-helm'])
  assert.deepEqual(
    stdout.match(/(?<=name: ).*/g)?.map(name => name.replace(/\d{10}/, 'SECONDS')),
    ['a-b-web', 'web-SECONDS-web'],
  )
  const broken = tempDir({ ...CHART, 'kustomization.yaml': 'helmCharts: [{name: web, releaseName: A_b}]\n' })
  await assert.rejects(
    run(process.execPath, [program, 'kustomize', broken, '--enable-helm']),
    /release name check failed: release name "A_b": invalid release name, must match regex /,
  )
})

test("reports helm's error for a chart that it cannot render", async () => {
  const broken = { ...CHART, 'charts/web/templates/all.yaml': '{{ fail "no luck" }}' }
  const dir = tempDir({ ...broken, 'kustomization.yaml': 'helmCharts: [{name: web, releaseName: r}]\n' })
  await assert.rejects(
    run(process.execPath, [program, 'kustomize', dir, '--enable-helm']),
    /execution error at \(web\/templates\/all\.yaml:1:3\): no luck/,
  )
  await assert.rejects(
    run(process.execPath, [program, 'kustomize', dir, '--enable-helm', '--helm-command', await helmBinary()]),
    ({ stderr }: { stderr: string }) =>
      /no luck[\s\S]*: unable to run: '.*helm template r .*' with env=\[HELM_CONFIG_HOME=.*: exit status 1/.test(
        stderr,
      ),
  )
})
