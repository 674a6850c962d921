/** `keelson helm lint` beside the real helm, on charts with a mistake each. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { CommandFailed } from '../../lib/cli/command-failed.ts'
import { lintCommand } from '../../lib/cli/helm/lint.ts'
import { helmBinary } from '../bed/helm-binary.ts'
import { tempDir } from '../bed/temp-dir.ts'

const chartYaml = 'apiVersion: v2\nname: web\nversion: 1.0.0\nicon: https://example.com/icon.png\n'
const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'
const sound: Files = { 'Chart.yaml': chartYaml, 'values.yaml': 'a: 1\n', 'templates/map.yaml': map }

type Files = Readonly<Record<string, string>>

/** A file more, or another. */
const charts: Readonly<Record<string, Files>> = {
  'nothing wrong': {},
  'no icon': { 'Chart.yaml': chartYaml.replace(/icon.*\n/, '') },
  'Chart.yaml is no YAML': { 'Chart.yaml': 'a: [' },
  'a name is missing': { 'Chart.yaml': chartYaml.replace(/name.*\n/, '') },
  'a name with a slash': { 'Chart.yaml': chartYaml.replace('web', 'a/web') },
  'no apiVersion': { 'Chart.yaml': chartYaml.replace(/apiVersion.*\n/, '') },
  'an unknown apiVersion': { 'Chart.yaml': chartYaml.replace('v2', 'v9') },
  'a number as appVersion': { 'Chart.yaml': `${chartYaml}appVersion: 1.5\n` },
  'a number as version': { 'Chart.yaml': chartYaml.replace('1.0.0', '2') },
  'no version': { 'Chart.yaml': chartYaml.replace(/version.*\n/, '') },
  'a version that is none': { 'Chart.yaml': chartYaml.replace('1.0.0', 'latest') },
  'a version with two parts': { 'Chart.yaml': chartYaml.replace('1.0.0', '"1.5"') },
  'a version of nothing': { 'Chart.yaml': chartYaml.replace('1.0.0', '0.0.0-0') },
  'a field that Helm does not know': { 'Chart.yaml': `${chartYaml}flavour: sweet\n` },
  'fields that Helm does not know': { 'Chart.yaml': `${chartYaml}tillerVersion: v2\nengine: gotpl\n` },
  'a field of a maintainer that Helm does not know': {
    'Chart.yaml': `${chartYaml}zeal: much\nmaintainers: [{name: a, Email: a@example.com, phone: "1"}]\n`,
  },
  'keys that stand twice': {
    'Chart.yaml': `${chartYaml}name: web\nhome: https://a.example\nhome: https://b.example\n`,
  },
  'maintainers of another kind': { 'Chart.yaml': `${chartYaml}maintainers: [{name: [a]}]\n` },
  'a maintainer that is none': { 'Chart.yaml': `${chartYaml}maintainers: [a]\n` },
  'dependencies of another kind': { 'Chart.yaml': `${chartYaml}dependencies: none\n` },
  'keywords with a map': { 'Chart.yaml': `${chartYaml}keywords: [a, {b: c}]\n` },
  'a lock file that is no YAML': { 'Chart.lock': 'a: [' },
  'a lock file of another kind': { 'Chart.lock': 'dependencies: none\n' },
  'a lock file with an odd version': { 'Chart.lock': 'dependencies: [{name: x, version: [1]}]\n' },
  'a lock file with an odd time': { 'Chart.lock': 'generated: yesterday\n' },
  'an unknown type': { 'Chart.yaml': `${chartYaml}type: thing\n` },
  'a type in an old chart': { 'Chart.yaml': `${chartYaml.replace('v2', 'v1')}type: application\n` },
  'dependencies in an old chart': {
    'Chart.yaml': `${chartYaml.replace('v2', 'v1')}dependencies: [{name: x, version: 1.0.0, repository: ""}]\n`,
  },
  'a maintainer without a name': { 'Chart.yaml': `${chartYaml}maintainers: [{email: a@example.com}]\n` },
  'a maintainer with a bad address': { 'Chart.yaml': `${chartYaml}maintainers: [{name: a, email: "a at home"}]\n` },
  'a maintainer with an address that was not filled in': {
    'Chart.yaml': `${chartYaml}maintainers: [{name: a, email: "a@\${NAME}.com"}]\n`,
  },
  'an icon that was not filled in': {
    'Chart.yaml': chartYaml.replace('https://example.com/icon.png', 'https://${NAME}.org/icon'),
  },
  'text behind a line between documents': { 'templates/map.yaml': `${map}---\n${map.replace('a}', 'b}')}---${map}` },
  'a maintainer with a bad page': { 'Chart.yaml': `${chartYaml}maintainers: [{name: a, url: "no page"}]\n` },
  'a source that is no URL': { 'Chart.yaml': `${chartYaml}sources: [nowhere]\n` },
  'an icon that is no URL': { 'Chart.yaml': chartYaml.replace('https://example.com/icon.png', 'icon.png') },
  'a library': { 'Chart.yaml': `${chartYaml}type: library\n` },
  'no values': { 'values.yaml': '' },
  'values that are no YAML': { 'values.yaml': 'a: [' },
  'values that are a list': { 'values.yaml': '[a]\n' },
  'values against the schema': { 'values.schema.json': '{"properties": {"a": {"type": "string"}}}' },
  'a schema that is no JSON': { 'values.schema.json': 'x' },
  'a template that fails': { 'templates/map.yaml': '{{ .Values.a.b.c }}' },
  'a template that does not parse': { 'templates/map.yaml': '{{ if }}' },
  'what is required is missing': { 'templates/map.yaml': `${map}data: {x: "{{ required "say" .Values.x }}"}\n` },
  'a template that refuses': { 'templates/map.yaml': `{{ fail "no" }}${map}` },
  'output that is no YAML': { 'templates/map.yaml': 'a: b: c\n' },
  'output that is a list': { 'templates/map.yaml': '- a\n' },
  'output with odd types': { 'templates/map.yaml': 'apiVersion: [v1]\nkind: ConfigMap\n' },
  'output with a number as name': { 'templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 5}\n' },
  'output that begins with spaces': { 'templates/map.yaml': ` ${map.replaceAll('\n', '\n ')}\n` },
  'a file of another kind': { 'templates/map.json': '{}' },
  'a bad name': { 'templates/map.yaml': map.replace('name: a', 'name: A_b') },
  'an empty name': { 'templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\n' },
  'a Service with dots': { 'templates/map.yaml': 'apiVersion: v1\nkind: Service\nmetadata: {name: a.b}\n' },
  'a Namespace with dots': { 'templates/map.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: a.b}\n' },
  'a Role with a colon': {
    'templates/map.yaml': 'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: "a:b%"}\n',
  },
  'kinds that are deprecated, and stay': {
    'templates/map.yaml': ['Endpoints', 'EndpointsList', 'ComponentStatus']
      .map(kind => map.replace('ConfigMap', kind))
      .join('---\n'),
  },
  'brackets in place of a key': { 'templates/map.yaml': `${map}data:\n- name: a\n  {}\n` },
  'deprecated kinds': {
    'templates/map.yaml':
      'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n---\napiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: a}\n---\napiVersion: storage.k8s.io/v1beta1\nkind: CSIDriver\nmetadata: {name: a}\n',
  },
  'a Deployment without a selector': {
    'templates/map.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n',
  },
  'a List that is kept': {
    'templates/map.yaml':
      'apiVersion: v1\nkind: List\nmetadata: {name: a}\nitems:\n- metadata: {annotations: {helm.sh/resource-policy: keep}}\n',
  },
  'an undeclared dependency': { 'charts/x/Chart.yaml': 'apiVersion: v2\nname: x\nversion: 1.0.0\n' },
  'a missing dependency': {
    'Chart.yaml': `${chartYaml}dependencies: [{name: x, version: 1.0.0, repository: "https://example.com"}]\n`,
  },
  'dependencies of one name': {
    'Chart.yaml': `${chartYaml}dependencies: [{name: x, version: 1.0.0, repository: ""}, {name: x, version: 1.0.0, repository: ""}]\n`,
    'charts/x/Chart.yaml': 'apiVersion: v2\nname: x\nversion: 1.0.0\n',
  },
  'a broken dependency': { 'charts/x/Chart.yaml': 'apiVersion: v2\nname: x\n' },
  'a CRD': {
    'crds/a.yaml': 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n',
  },
  'no CRD': { 'crds/a.yaml': map },
  'a template of a CRD': { 'crds/a.yaml': 'kind: {{ if true }}\n' },
}

const without: Readonly<Record<string, readonly string[]>> = {
  'no templates': ['templates/map.yaml'],
  'no values.yaml': ['values.yaml'],
  'no Chart.yaml': ['Chart.yaml'],
}

const all: readonly (readonly [string, Files])[] = [
  ...Object.entries(charts).map(([what, files]) => [what, { ...sound, ...files }] as const),
  ...Object.entries(without).map(
    ([what, gone]) =>
      [what, Object.fromEntries(Object.entries(sound).filter(([path]) => !gone.includes(path)))] as const,
  ),
]

const flags = {
  '': [],
  ' strictly': ['--strict', '--set', 'more=1'],
  ' quietly': ['--quiet', '--skip-schema-validation'],
}

interface Outcome {
  readonly stdout: string
  readonly failed: boolean
  readonly failure: readonly string[]
}

/** What helm prints and how it ends, without its log lines. */
const helmsOutcome = (helm: string, args: readonly string[]): Outcome => {
  const { stdout, stderr, status } = spawnSync(helm, args, { encoding: 'utf8' })
  const failure = stderr.split('\n').filter(line => line !== '' && !line.startsWith('level='))
  return { stdout, failed: status !== 0, failure: failure.map(line => line.replace(/^Error: /, '')) }
}

/** The same of our command, in this process. */
const ourOutcome = async (args: readonly string[]): Promise<Outcome> => {
  const output = new PassThrough({ encoding: 'utf8' })
  const printed = () => (output.read() as string | null) ?? ''
  try {
    await lintCommand(output).exitOverride().parseAsync(args, { from: 'user' })
    return { stdout: printed(), failed: false, failure: [] }
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    return { stdout: printed(), failed: true, failure: [error.message] }
  }
}

for (const [mode, args] of Object.entries(flags)) {
  test(`says of charts what helm lint says${mode}`, async t => {
    const helm = await helmBinary()
    for (const [what, files] of all) {
      const chart = tempDir(files)
      const asked = [chart, '--kube-version', '1.36', ...args]
      await t.test(what, async () => assert.deepEqual(await ourOutcome(asked), helmsOutcome(helm, ['lint', ...asked])))
    }
  })
}

test('checks archives, charts below charts/, and what is missing', async () => {
  const helm = await helmBinary()
  const folder = tempDir({
    'web/Chart.yaml': `${chartYaml}dependencies: [{name: x, version: 1.0.0, repository: ""}]\n`,
    'web/values.yaml': '',
    'web/templates/a.yaml': map,
    'web/charts/x/Chart.yaml': 'apiVersion: v2\nname: x\nversion: 1.0.0\n',
  })
  assert.equal(helmsOutcome(helm, ['package', join(folder, 'web'), '-d', folder]).failed, false)
  for (const args of [
    [join(folder, 'web'), '--with-subcharts'],
    [join(folder, 'web-1.0.0.tgz')],
    [join(folder, 'nothing')],
    [join(folder, 'nothing.tgz')],
    [join(folder, 'web'), join(folder, 'nothing')],
  ])
    assert.deepEqual(await ourOutcome(args), helmsOutcome(helm, ['lint', ...args]))
})
