import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Remotes } from '../../../../lib/engines/kustomize/build.ts'
import type { PluginRunner } from '../../../../lib/engines/kustomize/plugins/exec/plugin-runner.ts'
import { renderFolder } from '../../../../lib/reconcile/kustomization/build/render-folder.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'
import { configMap } from './scene.ts'

const spec = { interval: '1m', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' } } as const
const settings = { noRemoteBases: false, pluginGroups: [] }

const remotes: Remotes = {
  file: async () => Buffer.from(configMap('remote', '1')),
  repository: async () =>
    memoryTree({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': configMap('base', '1') }),
}

const within = (kustomization: string) =>
  memoryTree({
    'app/kustomization.yaml': kustomization,
    'app/a.yaml': configMap('a', '1'),
    'app/greeting.yaml': 'apiVersion: greetings.example.com/v1\nkind: Greeting\nmetadata: {name: g}\n',
  })

test('takes what came over the network for something that may differ next time', async () => {
  const render = async (resource: string) => {
    const { manifests, isRepeatable } = await renderFolder(
      within(`resources: ['${resource}']\n`),
      'app',
      spec,
      { remotes },
      settings,
    )
    return [manifests.map(({ object }) => object.metadata.name), isRepeatable]
  }
  assert.deepEqual(await render('a.yaml'), [['a'], true])
  assert.deepEqual(await render('git::https://git.example/org/lib'), [['base'], false])
  assert.deepEqual(await render('https://files.example/a.yaml'), [['remote'], false])
})

test('refuses remote bases if they are disabled, and says what to do', async () => {
  const render = (ports: { remotes?: Remotes }, noRemoteBases: boolean) =>
    renderFolder(within("resources: ['https://git.example/org/lib']\n"), 'app', spec, ports, {
      ...settings,
      noRemoteBases,
    })
  const refusal =
    /^kustomize build failed: .*remote bases are not allowed here \(--no-remote-bases\): make the repository a source/
  await assert.rejects(render({ remotes }, true), ({ message }: Error) => refusal.test(message))
  await assert.rejects(render({}, false), ({ message }: Error) => refusal.test(message))
})

test('refuses charts as kustomize-controller does, and names the field', async () => {
  await assert.rejects(
    renderFolder(within('helmCharts: [{name: web, repo: https://charts.example}]\n'), 'app', spec, {}, settings),
    ({ message }: Error) =>
      message ===
      'kustomize build failed: trouble configuring builtin HelmChartInflationGenerator with config: `\nname: web\nrepo: https://charts.example\n`: must specify --enable-helm (file: app/kustomization.yaml:1, field: helmCharts[0])',
  )
})

test('names the file and field of a fault that kustomize leaves out', async () => {
  const patch = 'resources: [a.yaml]\npatches: [{patch: "no patch"}]\n'
  await assert.rejects(renderFolder(within(patch), 'app', spec, {}, settings), ({ message }: Error) =>
    message.endsWith('unable to parse SM or JSON patch from [patch: "no patch"] (file: app/kustomization.yaml)'),
  )
})

test('names the line of the step that failed on another file', async () => {
  const generator = 'resources: [a.yaml]\nconfigMapGenerator:\n- name: ok\n- name: bad\n  files: [gone.txt]\n'
  const operations = `[{"op": "remove", "path": "/data/gone"}]`
  const patch = `resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: '${operations}'\n`
  for (const [kustomization, place] of [
    [generator, '(in: app/kustomization.yaml:4, field: configMapGenerator[1])'],
    [patch, '(file: app/a.yaml, in: app/kustomization.yaml:3, field: patches[0])'],
  ] as const)
    await assert.rejects(renderFolder(within(kustomization), 'app', spec, {}, settings), ({ message }: Error) => {
      assert.ok(message.endsWith(place), message)
      return true
    })
})

test('runs plugins of the groups that the operator allows, and no others, and keeps nothing of what they made', async () => {
  const plugins: PluginRunner = {
    locate: path => ({ program: path, executable: true }),
    run: async ({ args }) => ({
      exitCode: args[0] === 'generate' ? 0 : 127,
      stdout: configMap('made', '1'),
      stderr: '',
    }),
  }
  const render = (pluginGroups: readonly string[]) =>
    renderFolder(within('generators: [greeting.yaml]\n'), 'app', spec, { plugins }, { ...settings, pluginGroups })
  const { manifests, isRepeatable } = await render(['greetings.example.com'])
  assert.deepEqual(
    manifests.map(({ object }) => object.metadata.name),
    ['made'],
  )
  assert.equal(isRepeatable, false)
  await assert.rejects(render([]), /external plugins disabled/)
})
