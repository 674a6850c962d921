import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BuildCache, type BuildOptions, build, type HelmChart, printResources } from '../../../lib/kustomize/build.ts'
import { memoryTree } from '../../conformance/memory-tree.ts'

type Files = Record<string, string>

const output = async (files: Files, path: string, options: BuildOptions): Promise<string> =>
  printResources((await build(memoryTree(files), path, options)).resources)

const service = (namespace: string, name = 'test-service'): string =>
  `apiVersion: v1\nkind: Service\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\n`

/** Renders the one template that the chart has, whose only action is the release's namespace. */
const inflate = async ({ entry, files }: HelmChart): Promise<string> =>
  Buffer.from(files.get('templates/service.yaml') ?? '')
    .toString()
    .replaceAll('{{ .Release.Namespace }}', String(entry.namespace ?? 'default'))

const CHART: Files = {
  'base/charts/service/Chart.yaml': 'apiVersion: v2\nname: service\nversion: 1.0.0\n',
  'base/charts/service/templates/service.yaml': service('{{ .Release.Namespace }}'),
}
const BASE = 'helmGlobals: {chartHome: ./charts}\nhelmCharts: [{name: service, releaseName: service}]\n'

test('renders charts into the closest namespace that kustomizations set, and leaves what they chose', async () => {
  const levels = { ...CHART, 'base/kustomization.yaml': BASE }
  const mid = { ...levels, 'mid/kustomization.yaml': 'resources: [../base]\nnamePrefix: mid-\n' }
  const overlay = { ...mid, 'overlay/kustomization.yaml': 'resources: [../mid]\nnamespace: production\n' }
  assert.equal(await output(overlay, 'overlay', { helm: inflate }), service('production', 'mid-test-service'))

  const chosen = BASE.replace('releaseName: service', 'namespace: helm-ns')
  const own = { ...CHART, 'base/kustomization.yaml': `namespace: transformer-ns\n${chosen}` }
  assert.equal(await output(own, 'base', { helm: inflate }), service('helm-ns'))
})

test('lets a chart read the values that its kustomization may', async () => {
  const files = { 'values.yaml': 'a: 1\n', 'kustomization.yaml': 'helmCharts: [{name: x, valuesFile: values.yaml}]\n' }
  const read: string[] = []
  const helm = async (chart: HelmChart): Promise<string> => {
    read.push(Buffer.from(chart.read(String(chart.entry.valuesFile))).toString())
    return `Pulled: example\n  - : x\n---\n${service('a')}`
  }
  const { resources, filesRead } = await build(memoryTree(files), '', { helm })
  assert.equal(printResources(resources), service('a'))
  assert.deepEqual(read, ['a: 1\n'])
  assert.deepEqual(
    filesRead.map(({ path }) => path),
    ['kustomization.yaml', 'values.yaml'],
  )
})

test('renders anew, whatever the cache has', async () => {
  const files = { ...CHART, 'base/kustomization.yaml': BASE, 'app/kustomization.yaml': 'resources: [../base]\n' }
  const cache = new BuildCache()
  await output(files, 'app', { cache, helm: inflate })
  assert.equal(await output(files, 'app', { cache, helm: async () => service('other') }), service('other'))
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
    await message('{name: a, valuesMerge: some}', { helm: inflate }),
    said('name: a\nvaluesMerge: some\n', 'valuesMerge must be one of [merge override replace]'),
  )
  assert.equal(await message('{version: v1}', { helm: inflate }), said('version: v1\n', 'chart name cannot be empty'))
  const broken = async (): Promise<string> => {
    throw new Error('no such chart')
  }
  assert.equal(await message('{name: a}', { helm: broken }), 'no such chart')
})
