import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BuildCache, type BuildOptions, build, type Helm, printResources } from '../../../lib/kustomize/build.ts'
import type { HelmOptions, HelmPull, HelmRelease } from '../../../lib/kustomize/generators/helm.ts'
import { memoryTree } from '../../conformance/memory-tree.ts'

type Files = Record<string, string>

const output = async (files: Files, path: string, options: BuildOptions): Promise<string> =>
  printResources((await build(memoryTree(files), path, options)).resources)

const service = (namespace: string, name = 'test-service'): string =>
  `apiVersion: v1\nkind: Service\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\n`

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

/** A build of one chart, and what was asked of helm for it. */
const asked = async (entry: string, files: Files = {}, more: Omit<HelmOptions, 'helm'> = {}) => {
  const pulls: HelmPull[] = []
  const releases: (Omit<HelmRelease, 'values' | 'files'> & { values: string[]; files: string[] })[] = []
  const recording: Helm = {
    pull: async chart => {
      pulls.push(chart)
      return new Map([['values.yaml', Buffer.from('from: repository\n')]])
    },
    template: async ({ values, files, ...release }) => {
      const texts = values.map(content => Buffer.from(content).toString())
      releases.push({ ...release, values: texts, files: [...files.keys()] })
      return `Pulled: example\n  - : x\n---\n${service('a')}`
    },
  }
  const tree = { 'kustomization.yaml': `helmCharts: [${entry}]\n`, ...files }
  const { resources, filesRead } = await build(memoryTree(tree), '', { helm: { helm: recording, ...more } })
  assert.equal(printResources(resources), service('a'))
  return { pulls, releases, read: filesRead.map(({ path }) => path) }
}

test('gives helm the values that a kustomization may read, and says that it read them', async () => {
  const files = {
    'values.yaml': 'a: 1\n',
    'more.yaml': 'b: 2\n',
    'charts/x/Chart.yaml': '',
  }
  const entry = '{name: x, valuesFile: values.yaml, additionalValuesFiles: [more.yaml]}'
  const { releases, read } = await asked(entry, files)
  assert.deepEqual(releases[0]?.values, ['a: 1\n', 'b: 2\n'])
  assert.deepEqual(read, ['charts/x/Chart.yaml', 'kustomization.yaml', 'more.yaml', 'values.yaml'])
})

test('pulls a chart that the tree does not have, with the values that come with it', async () => {
  const entry =
    '{name: x, repo: https://charts.example, version: 1.2.3, releaseName: r, includeCRDs: true, namespace: ns}'
  const { pulls, releases } = await asked(entry, {}, { kubeVersion: '1.36', apiVersions: ['a/v1'], debug: true })
  const pull = { name: 'x', repo: 'https://charts.example', version: '1.2.3', configHome: undefined, devel: false }
  assert.deepEqual(pulls, [{ ...pull, debug: true }])
  assert.deepEqual(releases, [
    {
      ...{ chartName: 'x', releaseName: 'r', nameTemplate: undefined, namespace: 'ns', configHome: undefined },
      ...{ kubeVersion: '1.36', apiVersions: ['a/v1'], includeCRDs: true, skipTests: false, skipHooks: false },
      ...{ devel: false, debug: true, files: ['values.yaml'], values: ['from: repository\n'] },
    },
  ])
})

test('merges values of the kustomization with those of the chart, as the entry says', async () => {
  const files = { 'charts/x/values.yaml': 'a: 1\nlist: [x]\nmap: {a: 1, b: 2}\n' }
  const merged = async (how: string): Promise<string | undefined> => {
    const inline = 'valuesInline: {a: 2, list: [z], map: {a: 3, c: 4}}'
    return (await asked(`{name: x, ${how}${inline}}`, files)).releases[0]?.values[0]
  }
  assert.equal(await merged(''), 'a: 2\nlist:\n- z\nmap:\n  a: 3\n  b: 2\n  c: 4\n')
  assert.equal(await merged('valuesMerge: merge, '), 'a: 1\nlist:\n- x\nmap:\n  a: 1\n  b: 2\n  c: 4\n')
  assert.equal(await merged('valuesMerge: replace, '), 'a: 2\nlist:\n- z\nmap:\n  a: 3\n  c: 4\n')
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
})

test('renders anew, whatever the cache has', async () => {
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
  const entry = '{name: a, repo: https://charts.example}'
  assert.equal(await message(entry, { helm: { helm: { ...helm, pull: broken } } }), 'no such chart')
})
