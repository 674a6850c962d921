import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build, type Helm, printResources } from '../../../../lib/engines/kustomize/build.ts'
import type { ChartInflation, HelmOptions, HelmPull } from '../../../../lib/engines/kustomize/generators/helm.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'
import { type Files, service } from './helm-chart-world.ts'

/** A build of one chart, and what was asked of helm for it. */
const asked = async (entry: string, files: Files = {}, more: Omit<HelmOptions, 'helm'> = {}) => {
  const pulls: HelmPull[] = []
  const releases: (Omit<ChartInflation, 'values' | 'files'> & { values: string[]; files: string[] })[] = []
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

test('requests a chart with only its name as helm would render it', async () => {
  const { releases } = await asked('{name: x}', { 'charts/x/values.yaml': 'a:   1 # as it is\n' })
  assert.deepEqual(releases, [
    {
      ...{
        chartName: 'x',
        releaseName: undefined,
        nameTemplate: undefined,
        namespace: undefined,
        configHome: undefined,
      },
      ...{ kubeVersion: undefined, apiVersions: [], includeCRDs: false, skipTests: false, skipHooks: false },
      ...{ devel: false, debug: false, files: ['values.yaml'], values: ['a:   1 # as it is\n'] },
    },
  ])
  const { pulls } = await asked('{name: x, repo: https://charts.example}')
  const pull = { name: 'x', repo: 'https://charts.example', version: undefined, configHome: undefined }
  assert.deepEqual(pulls, [{ ...pull, devel: false, debug: false }])
})

test('finds a chart of the tree by its version when it could be pulled too, and else without', async () => {
  const files = { 'charts/x-1.2.3/x/values.yaml': 'of: version\n', 'charts/x/values.yaml': 'of: none\n' }
  const values = async (entry: string) => (await asked(entry, files)).releases[0]?.values
  assert.deepEqual(await values('{name: x, version: 1.2.3, repo: https://charts.example}'), ['of: version\n'])
  assert.deepEqual(await values('{name: x, version: 1.2.3}'), ['of: none\n'])
  assert.deepEqual(await values('{name: x, repo: https://charts.example}'), ['of: none\n'])
})
