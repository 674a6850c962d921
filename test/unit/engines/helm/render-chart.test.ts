import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { parseKubeVersion } from '../../../../lib/engines/helm/capabilities.ts'
import { HelmError, RenderError } from '../../../../lib/engines/helm/helm-error.ts'
import { renderChart } from '../../../../lib/engines/helm/render-chart.ts'
import { templateOutput } from '../../../../lib/engines/helm/template-output.ts'
import { chartOf, functions, render, rendered } from './chart-of.ts'

test('a chart becomes documents with the line of their template in front, sorted by kind (HR-150, HR-151)', async () => {
  const output = templateOutput(
    await render({
      'templates/b.yaml': 'kind: Deployment\n---\nkind: Zebra\n---\nkind: Service\n',
      'templates/a.yaml': '---\nkind: ConfigMap\nn: 1\n---   \n\nkind: Antelope\n---kind: ConfigMap\nn: 2\n',
      'templates/_helpers.tpl': '{{ define "x" }}y{{ end }}',
      'templates/empty.yaml': '{{ if false }}kind: Pod{{ end }}\n',
    }),
  )
  assert.equal(
    output,
    [
      '---\n# Source: web/templates/a.yaml\nkind: ConfigMap\nn: 1\n\n',
      '---\n# Source: web/templates/a.yaml\nkind: ConfigMap\nn: 2\n\n',
      '---\n# Source: web/templates/b.yaml\nkind: Service\n\n',
      '---\n# Source: web/templates/b.yaml\nkind: Deployment\n\n',
      '---\n# Source: web/templates/a.yaml\nkind: Antelope\n\n',
      '---\n# Source: web/templates/b.yaml\nkind: Zebra\n',
    ].join(''),
  )
})

test('templates see release, chart, template and capabilities (HR-136, HR-137)', async () => {
  const capabilities = { kubeVersion: parseKubeVersion('v1.33.4-gke.1245000'), apiVersions: ['apps/v1', 'x/v1/Kind'] }
  const see = (template: string) => rendered(template, '', {}, { capabilities })
  assert.equal(
    await see(
      '{{ with .Release }}{{ .Name }} {{ .Namespace }} {{ .IsInstall }} {{ .IsUpgrade }} {{ .Revision }} {{ .Service }}{{ end }}',
    ),
    'rel apps true false 1 Helm',
  )
  assert.equal(
    await see('{{ .Chart.Name }} {{ .Chart.Version }} {{ .Chart.IsRoot }} {{ .Chart.Annotations }}'),
    'web 1.2.3 true map[]',
  )
  assert.equal(await see('{{ .Template.Name }} {{ .Template.BasePath }}'), 'web/templates/a.yaml web/templates')
  assert.equal(
    await see('{{ with .Capabilities.KubeVersion }}{{ . }} {{ .Version }} {{ .Major }} {{ .Minor }}{{ end }}'),
    'v1.33.4 v1.33.4-gke.1245000 1 33',
  )
  assert.equal(
    await see('{{ .Capabilities.APIVersions.Has "x/v1/Kind" }} {{ .Capabilities.APIVersions.Has "x/v1" }}'),
    'true false',
  )
})

test('upgrades are reported as such', async () => {
  const release = { name: 'rel', namespace: 'apps', revision: 4, isUpgrade: true }
  assert.equal(
    await rendered('{{ .Release.IsUpgrade }} {{ .Release.IsInstall }} {{ .Release.Revision }}', '', {}, { release }),
    'true false 4',
  )
})

test('a value that is absent prints as nothing (HR-141)', async () => {
  assert.equal(await rendered('[{{ .Values.a }}{{ .Values.b.c }}{{ tpl "{{ .Values.a }}" . }}]', 'b: {c: null}'), '[]')
})

test('files outside of templates, and only these, are there to read (HR-138)', async () => {
  const files = { 'conf/a.txt': 'one\ntwo\n', 'conf/b/c.txt': 'x', 'README.md': 'r', 'crds/x.yaml': 'kind: X' }
  const see = (template: string) => rendered(template, '', files)
  assert.equal(
    await see('{{ .Files.Get "README.md" }}{{ .Files.Get "values.yaml" }}{{ .Files.Get "templates/a.yaml" }}'),
    'r',
  )
  assert.equal(await see('{{ range $path, $_ := .Files.Glob "conf/*" }}{{ $path }} {{ end }}'), 'conf/a.txt ')
  assert.equal(
    await see('{{ range $path, $_ := .Files.Glob "conf/**.txt" }}{{ $path }} {{ end }}'),
    'conf/a.txt conf/b/c.txt ',
  )
  assert.equal(await see('{{ .Files.Lines "conf/a.txt" | join "," }}|{{ .Files.Lines "none" }}'), 'one,two|[]')
  assert.equal(
    await see('{{ (.Files.Glob "conf/b/*").AsConfig }} {{ (.Files.Glob "conf/b/*").AsSecrets }}'),
    'c.txt: x c.txt: eA==',
  )
  assert.equal(await see('{{ .Files.GetBytes "README.md" | toString }}'), 'r')
})

test('lookup uses a function of the caller, and finds nothing without one (HR-139)', async () => {
  const template = '{{ (lookup "v1" "Secret" "ns" "n").kind }}{{ lookup "v1" "Secret" "ns" "n" | empty }}'
  assert.equal(await rendered(template), 'true')
  const calls = new Map([['lookup', () => new Map([['kind', 'Secret']])]])
  assert.equal(await rendered(template, '', {}, { calls }), 'Secretfalse')
})

test('no environment, no name servers (HR-134)', async () => {
  assert.equal(await rendered('{{ getHostByName "localhost" }}.'), '.')
  await assert.rejects(
    rendered('{{ env "HOME" }}'),
    new RenderError('parse error at (web/templates/a.yaml:2): function "env" not defined'),
  )
})

test('a definition of the parent wins over that of its subchart (HR-140)', async () => {
  const files = {
    'charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 1.0.0\n',
    'charts/sub/templates/s.yaml': 'v: {{ include "who" . }}',
    'charts/sub/templates/_h.tpl': '{{ define "who" }}sub{{ end }}',
    'templates/_h.tpl': '{{ define "who" }}parent{{ end }}',
  }
  const { manifests } = await render(files)
  assert.deepEqual(
    manifests.map(({ path, content }) => [path, content]),
    [['web/charts/sub/templates/s.yaml', 'v: parent']],
  )
})

test('library charts give their definitions, and nothing else (HR-143)', async () => {
  const library = 'apiVersion: v2\nname: lib\nversion: 1.0.0\ntype: library\n'
  const files = {
    'charts/lib/Chart.yaml': library,
    'charts/lib/templates/_h.tpl': '{{ define "lib.x" }}x{{ end }}',
    'charts/lib/templates/ignored.yaml': 'kind: Ignored',
    'templates/a.yaml': 'v: {{ include "lib.x" . }}',
  }
  assert.deepEqual(
    (await render(files)).manifests.map(({ content }) => content),
    ['v: x'],
  )
  await assert.rejects(render({ 'Chart.yaml': library }), new HelmError('library charts are not installable'))
})

test('hooks are separate, with events, weights and policies', async () => {
  const hook = (annotations: string) => `kind: Job\nmetadata:\n  name: j\n  annotations: {${annotations}}\n`
  const { manifests, hooks } = await render({
    'templates/a.yaml': hook(
      '"helm.sh/hook": "pre-install, POST-UPGRADE", "helm.sh/hook-weight": "-5", "helm.sh/hook-delete-policy": "hook-succeeded,hook-failed"',
    ),
    'templates/b.yaml': hook(
      '"helm.sh/hook": test-success, "helm.sh/hook-weight": x, "helm.sh/hook-output-log-policy": hook-failed',
    ),
    'templates/c.yaml': hook('"helm.sh/hook": crd-install'),
    'templates/d.yaml': hook('other: x'),
  })
  assert.deepEqual(
    hooks.map(({ path, events, weight, deletePolicies, outputLogPolicies }) => [
      path,
      events,
      weight,
      deletePolicies,
      outputLogPolicies,
    ]),
    [
      ['web/templates/a.yaml', ['pre-install', 'post-upgrade'], -5, ['hook-succeeded', 'hook-failed'], []],
      ['web/templates/b.yaml', ['test'], 0, [], ['hook-failed']],
    ],
  )
  assert.deepEqual(
    manifests.map(({ path }) => path),
    ['web/templates/d.yaml'],
  )
})

test('notes and CRDs are separate (HR-149, HR-095)', async () => {
  const { manifests, notes, crds } = await render({
    'templates/NOTES.txt': 'hello {{ .Release.Name }}',
    'charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 1.0.0\n',
    'charts/sub/templates/NOTES.txt': 'not shown',
    'charts/sub/crds/b.yml': 'kind: B',
    'crds/a.yaml': 'kind: {{ not a template }}',
    'crds/README.md': '',
  })
  assert.deepEqual([manifests, notes], [[], 'hello rel'])
  assert.deepEqual(
    crds.map(({ name }) => name),
    ['web/crds/a.yaml', 'web/charts/sub/crds/b.yml'],
  )
})

test('a chart may require a version of Kubernetes (HR-148)', async () => {
  const chart = { 'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\nkubeVersion: ">=1.30.0-0"\n' }
  const on = (version: string) =>
    render(chart, '', { capabilities: { kubeVersion: parseKubeVersion(version), apiVersions: [] } })
  await on('1.30.1-eks-1')
  await assert.rejects(
    on('1.29'),
    new RenderError('chart requires kubeVersion: >=1.30.0-0 which is incompatible with Kubernetes v1.29'),
  )
})

test('dependencies that are not there are named', async () => {
  const chart = {
    'Chart.yaml':
      'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: a, version: 1.x}, {name: b, version: 1.x}]\n',
  }
  await assert.rejects(
    render(chart),
    /'helm dependency build' to fetch missing dependencies: found in Chart.yaml, but missing in charts\/ directory: a, b$/,
  )
})

test('files keep bytes that are no UTF-8 on their way into Secrets', async () => {
  const packed = Buffer.from([0x1f, 0x8b, 0x08, 0xff, 0x61, 0xc3])
  const template =
    'a: {{ .Files.Get "x.gz" | b64enc }}\nb: {{ (.Files.Glob "*.gz").AsSecrets | quote }}\nc: {{ .Files.Get "x.gz" | sha256sum }}\n'
  const chart = await chartOf({ 'templates/a.yaml': template })
  const { manifests } = renderChart({ ...chart, files: [...chart.files, { name: 'x.gz', data: packed }] }, new Map(), {
    functions,
    release: { name: 'rel', namespace: 'apps', revision: 1, isUpgrade: false },
  })
  const base64 = packed.toString('base64')
  assert.equal(manifests[0]!.content, `a: ${base64}\nb: "x.gz: ${base64}"\nc: ${hash('sha256', packed)}\n`)
})

test('bytes are a list of numbers when printed, and text if a function requires text', async () => {
  const see = (template: string) => rendered(template, '', { 'a.txt': 'ab' })
  assert.equal(await see('{{ .Files.GetBytes "a.txt" }} {{ .Files.Glob "[" }}'), '[97 98] map[a.txt:[97 98]]')
  const calls = [
    'toString',
    'quote',
    'toString | b64enc',
    'len',
    'kindOf',
    'join ","',
    'squote',
    'toJson',
    'printf "%s %v" "x"',
  ]
  const shown = ['ab', '"ab"', 'YWI=', '2', 'slice', '97,98', "'[97 98]'", '"YWI="', 'x [97 98]']
  for (const [i, call] of calls.entries())
    assert.equal(await see(`{{ .Files.GetBytes "a.txt" | ${call} }}`), shown[i], call)
  assert.equal(await see('{{ range .Files.GetBytes "a.txt" }}<{{ . }}>{{ end }}'), '<97><98>')
  assert.equal(await see('{{ if .Files.GetBytes "none" }}yes{{ else }}no{{ end }}'), 'no')
})
