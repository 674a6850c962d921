import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BuildCache, type BuildOptions, build, type Helm } from '../../../../lib/engines/kustomize/build.ts'
import type { ChartInflation, HelmOptions } from '../../../../lib/engines/kustomize/generators/helm.ts'
import type { KustomizeError } from '../../../../lib/engines/kustomize/kustomize-error.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'
import { type Files, output, service } from './helm-chart-world.ts'

/** Renders the one template that the chart has, whose only action is the release's namespace. */
const helm: Helm = {
  pull: async () => assert.fail('pulls nothing'),
  template: async ({ files, namespace }) =>
    Buffer.from(files.get('templates/service.yaml') ?? '')
      .toString()
      .replaceAll('{{ .Release.Namespace }}', namespace ?? 'default'),
}

const CHART: Files = {
  'base/charts/service/Chart.yaml': 'apiVersion: v2\nname: service\nversion: 1.0.0\n',
  'base/charts/service/values.yaml': 'replicas: 1\n',
  'base/charts/service/templates/service.yaml': service('{{ .Release.Namespace }}'),
}
const BASE = 'helmGlobals: {chartHome: ./charts}\nhelmCharts: [{name: service, releaseName: service}]\n'

test('renders charts into the closest namespace that kustomizations set, and leaves what they chose', async () => {
  const levels = { ...CHART, 'base/kustomization.yaml': BASE }
  const mid = { ...levels, 'mid/kustomization.yaml': 'resources: [../base]\nnamePrefix: mid-\n' }
  const overlay = { ...mid, 'overlay/kustomization.yaml': 'resources: [../mid]\nnamespace: production\n' }
  assert.equal(await output(overlay, 'overlay', { helm: { helm } }), service('production', 'mid-test-service'))

  const chosen = BASE.replace('releaseName: service', 'namespace: helm-ns')
  const own = { ...CHART, 'base/kustomization.yaml': `namespace: transformer-ns\n${chosen}` }
  assert.equal(await output(own, 'base', { helm: { helm } }), service('helm-ns'))
})

test('passes all options of an entry and of the globals to helm', async () => {
  const tree = {
    'kustomization.yaml': `helmGlobals: {chartHome: home, configHome: config}
helmCharts: [{name: x, nameTemplate: t, kubeVersion: v1, apiVersions: [a/v1], skipTests: true, skipHooks: true, devel: true, debug: true}]
`,
    'home/x/values.yaml': 'a: 1\n',
  }
  let release: ChartInflation | undefined
  const recording: Helm = {
    ...helm,
    template: async one => {
      release = one
      return ''
    },
  }
  await output(tree, '', { helm: { helm: recording, kubeVersion: 'v0', apiVersions: ['b/v1'] } })
  const { values: _, files: __, ...told } = release!
  assert.deepEqual(told, {
    ...{ chartName: 'x', releaseName: undefined, nameTemplate: 't', namespace: undefined, configHome: 'config' },
    ...{ kubeVersion: 'v1', apiVersions: ['a/v1'], includeCRDs: false, skipTests: true, skipHooks: true },
    ...{ devel: true, debug: true },
  })
})

test('renders charts of the old field, after those of the new one', async () => {
  const tree = {
    'kustomization.yaml': `helmCharts: [{name: x}]
helmChartInflationGenerator:
- {chartName: a, chartVersion: v1, chartRepoUrl: https://charts.example, values: v.yaml, valuesMerge: replace, valuesLocal: {b: 1}, releaseName: r, helmHome: home, chartHome: other}
- {chartName: b, chartHome: elsewhere, releaseNamespace: unused, extraArgs: [unused]}
- {chartName: b}
`,
    'elsewhere/x/values.yaml': 'x: 1\n',
    'elsewhere/b/values.yaml': 'b: 1\n',
    'elsewhere/a-v1/a/values.yaml': 'a: 1\n',
  }
  const releases: ChartInflation[] = []
  const recording: Helm = {
    ...helm,
    template: async release => {
      releases.push(release)
      return ''
    },
  }
  await output(tree, '', { helm: { helm: recording } })
  const told = releases.map(({ chartName, releaseName, configHome, namespace, values }) => ({
    ...{ chartName, releaseName, configHome, namespace },
    values: Buffer.concat(values).toString(),
  }))
  const common = { configHome: 'home', namespace: undefined, releaseName: undefined }
  assert.deepEqual(told, [
    { ...common, chartName: 'x', values: 'x: 1\n' },
    { ...common, chartName: 'a', releaseName: 'r', values: 'b: 1\n' },
    { ...common, chartName: 'b', values: 'b: 1\n' },
    { ...common, chartName: 'b', values: 'b: 1\n' },
  ])
  releases.length = 0
  await output(
    { ...tree, 'kustomization.yaml': `helmGlobals: {chartHome: elsewhere}\n${tree['kustomization.yaml']}` },
    '',
    {
      helm: { helm: recording },
    },
  )
  assert.deepEqual(
    releases.map(({ configHome }) => configHome),
    [undefined, undefined, undefined, undefined],
  )
})

test('reports in annotations which kustomization rendered a chart', async () => {
  const tree = { ...CHART, 'base/kustomization.yaml': `${BASE}buildMetadata: [originAnnotations]\n` }
  const origin = `  annotations:
    config.kubernetes.io/origin: |
      configuredIn: kustomization.yaml
      configuredBy:
        apiVersion: builtin
        kind: HelmChartInflationGenerator
`
  const annotated = service('default').replace('metadata:\n', `metadata:\n${origin}`)
  assert.equal(await output(tree, 'base', { helm: { helm } }), annotated)
})

test('records in each object which kustomization rendered it', async () => {
  const tree = { ...CHART, 'base/kustomization.yaml': BASE }
  const { resources } = await build(memoryTree(tree), 'base', { helm: { helm } })
  assert.deepEqual(resources[0]?.origin, { file: 'base/kustomization.yaml', overlay: 'base' })
})

test('renders charts of generator files as well', async () => {
  const generator = 'apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: g}\nname: service\n'
  const files = {
    ...CHART,
    'base/chart.yaml': `${generator}namespace: own\n`,
    'base/kustomization.yaml': 'generators: [chart.yaml]\n',
  }
  assert.equal(await output(files, 'base', { helm: { helm } }), service('own'))
  await assert.rejects(
    output(files, 'base', {}),
    /plugin HelmChartInflationGenerator\.builtin.*fails configuration: must specify --enable-helm$/,
  )
  const odd = { ...files, 'base/chart.yaml': `${generator}chartHome: [x]\n` }
  await assert.rejects(output(odd, 'base', { helm: { helm } }), {
    message:
      'loading generator plugins: failed to load generator: plugin HelmChartInflationGenerator.builtin.[noGrp]/g.[noNs] fails configuration: ' +
      'error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go struct field HelmChartInflationGeneratorPlugin.HelmGlobals.chartHome of type string',
  })
})

test('renders again, whatever the cache has', async () => {
  const files = { ...CHART, 'base/kustomization.yaml': BASE, 'app/kustomization.yaml': 'resources: [../base]\n' }
  const cache = new BuildCache()
  await output(files, 'app', { cache, helm: { helm } })
  assert.equal(
    await output(files, 'app', { cache, helm: { helm: { ...helm, template: async () => service('other') } } }),
    service('other'),
  )
})

test('refuses charts when nothing is there to render them, and entries that make no sense', async () => {
  const message = async (entry: string, options: BuildOptions): Promise<string> =>
    output({ 'kustomization.yaml': `helmCharts: [${entry}]\n` }, '', options).then(
      () => assert.fail('was built'),
      error => (error as Error).message,
    )
  const said = (config: string, problem: string): string =>
    `trouble configuring builtin HelmChartInflationGenerator with config: \`\n${config}\`: ${problem}`
  assert.equal(
    await message('{releaseName: moria, name: minecraft, includeCRDs: true, skipHooks: false}', {}),
    said('includeCRDs: true\nname: minecraft\nreleaseName: moria\n', 'must specify --enable-helm'),
  )
  assert.equal(
    await message('{name: a, valuesMerge: some}', { helm: { helm } }),
    said('name: a\nvaluesMerge: some\n', 'valuesMerge must be one of [merge override replace]'),
  )
  assert.equal(await message('{version: v1}', { helm: { helm } }), said('version: v1\n', 'chart name cannot be empty'))
  for (const name of ['name: -x', 'name: x, releaseName: --post-renderer=x'])
    assert.match(await message(`{${name}}`, { helm: { helm } }), /must not start with '-', got "-/)
  assert.equal(await message('{name: a}', { helm: { helm } }), "no repo specified for pull, no chart found at ''")
  const broken = async (): Promise<never> => {
    throw new Error('no such chart')
  }
  const inline = '{name: a, valuesInline: {}, includeCRDs: true, apiVersions: [], namespace: "", valuesFile: v}'
  assert.equal(
    await message(inline, {}),
    said('includeCRDs: true\nname: a\nvaluesFile: v\n', 'must specify --enable-helm'),
  )
  assert.equal(
    await message('{name: a, valuesInline: {b: 1}, apiVersions: [c]}', {}),
    said('apiVersions:\n- c\nname: a\nvaluesInline:\n  b: 1\n', 'must specify --enable-helm'),
  )
  const entry = '{name: a, repo: https://charts.example}'
  assert.equal(await message(entry, { helm: { helm: { ...helm, pull: broken } } }), 'no such chart')
})

test('names the file and field at fault', async () => {
  const place = async (entry: string, options: HelmOptions = { helm }, files: Files = { 'charts/a/x': '' }) => {
    const tree = { 'kustomization.yaml': `helmCharts: [${entry}]\n`, ...files }
    const error = await build(memoryTree(tree), '', { helm: options }).then(
      () => assert.fail('was built'),
      error => error as KustomizeError,
    )
    return [error.message.replace(/^.*`: /s, ''), error.file, error.field]
  }
  const file = 'kustomization.yaml'
  assert.deepEqual((await place('{version: v1}')).slice(1), [file, 'name'])
  assert.deepEqual((await place('{name: -a}')).slice(1), [file, 'name'])
  assert.deepEqual((await place('{name: a, releaseName: -a}')).slice(1), [file, 'releaseName'])
  assert.deepEqual((await place('{name: a, valuesMerge: x}')).slice(1), [file, 'valuesMerge'])
  assert.deepEqual(await place('{name: a, additionalValuesFiles: [none]}'), [
    'could not load additionalValuesFile: open /none: no such file or directory',
    ...['none', 'additionalValuesFiles'],
  ])
  assert.deepEqual((await place('{name: a}', { helm }, {})).slice(1), ['charts/a', 'helmCharts'])
  assert.deepEqual(await place('{name: a}'), [
    'open /charts/a/values.yaml: no such file or directory',
    ...['charts/a/values.yaml', 'helmCharts'],
  ])
  const failing = async (): Promise<never> => {
    throw new Error('no such thing')
  }
  assert.deepEqual(await place('{name: a, valuesFile: charts/a/x}', { helm: { ...helm, template: failing } }), [
    ...['no such thing', file, 'helmCharts'],
  ])
  for (const text of ['a: b\n', 'a: b\n---\nc: d\n']) {
    const talking = { ...helm, template: async () => text }
    const said = await place('{name: a, valuesFile: charts/a/x}', { helm: talking })
    assert.deepEqual(said, ['missing Resource metadata', file, 'helmCharts'])
  }
})
