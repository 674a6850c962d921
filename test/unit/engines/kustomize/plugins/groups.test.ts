import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PluginRequest } from '../../../../../lib/engines/kustomize/plugins/exec/plugin-runner.ts'
import { type Answer, configMap, programs } from './fake-runner.ts'
import { APP, CONFIG_MAP, GROUP, generating, transforming } from './plugin-scene.ts'

const installed = { [`plugins/${GROUP}`]: {} }
const other = 'other.example.com'

/** A program that generates this, and gives back what it is to transform without its virtual resources. */
const generates =
  (made: string) =>
  ({ args, stdin }: PluginRequest): Answer =>
    args[0] === 'generate'
      ? made
      : stdin
          .split('---\n')
          .filter(text => !text.includes(GROUP))
          .join('---\n')

test('runs a plugin once for each phase, with nothing but its files', async () => {
  const { build, requests } = programs(generates(configMap('made')), installed)
  assert.equal(await build({ ...generating, 'x/y.txt': '' }), `${CONFIG_MAP}---\n${configMap('made')}`)
  const virtual = APP
  assert.deepEqual(
    requests.map(({ files, ...request }) => ({ ...request, files: [...files.keys()].sort() })),
    [
      ['generate', virtual],
      ['transform', `${virtual}---\n${CONFIG_MAP}---\n${configMap('made')}`],
    ].map(([phase, stdin]) => ({
      program: { installed: `/home/plugins/${GROUP}` },
      args: [phase],
      stdin,
      environment: {},
      files: ['a.yaml', 'app.yaml', 'kustomization.yaml', 'x/y.txt'],
    })),
  )
})

test('finds the owner of virtual resources by their group', async () => {
  const made = async (head: string, allowed = [GROUP]) => {
    const { build } = programs(generates(configMap('made')), { ...installed, 'plugins/alone': {} })
    const app = APP.replace(/^apiVersion.*$/m, head)
    return (await build({ ...generating, 'app.yaml': app }, { groups: allowed })).includes('made')
  }
  assert.ok(await made(`apiVersion: ${GROUP}/v1`))
  assert.ok(await made(`apiVersion: ${GROUP}`))
  assert.ok(await made(`groupVersion: ${GROUP}/v1beta1`))
  assert.ok(await made(`apiVersion: v1\ngroupVersion: ${GROUP}/v1beta1`))
  await assert.rejects(made(`apiVersion: ${other}/v1`), /unable to load external plugin 'App'$/)
  await assert.rejects(made('apiVersion: alone', ['alone']), /unable to load external plugin 'App'$/)
  await assert.rejects(made(`apiVersion: ${GROUP}/v1`, []), /unable to load external plugin 'App'$/)
  const none = programs(generates(configMap('made')), installed).build(generating, { groups: undefined })
  await assert.rejects(none, /unable to load external plugin 'App'$/)
  await assert.rejects(made('apiVersion: v1', ['']), /no plugin found for API group : plugins\/ not found$/)
})

test('names the file of a kustomization whose plugin fails', async () => {
  const failing = (answer: Answer, files = generating, plugin: object = {}) =>
    programs(() => answer, { [`plugins/${GROUP}`]: plugin }).build(files)
  const file = 'kustomization.yaml'
  await assert.rejects(failing({ exitCode: 2, stderr: 'no' }), {
    message: `no: failure in plugin ${GROUP} generate; exit status 2`,
    file,
  })
  await assert.rejects(failing({ exitCode: 127 }, transforming), {
    message: `plugin ${GROUP} is listed under transformers but does not support transform`,
    ...{ file, field: 'transformers' },
  })
  await assert.rejects(failing('a: b'), {
    message: `output of plugin ${GROUP} generate: missing Resource metadata`,
    file,
  })
  await assert.rejects(failing('a: b', transforming), {
    message: `output of plugin ${GROUP} transform: missing Resource metadata`,
    file,
  })
  await assert.rejects(failing(APP), {
    message: `plugin ${GROUP} generate returned the virtual resource App app: only resources for the cluster may be`,
    file,
  })
  await assert.rejects(
    failing(configMap('b', '  annotations: {internal.config.kubernetes.io/generatorBehavior: merge}')),
    {
      ...{ file, field: 'behavior' },
    },
  )
  for (const [plugin, message] of [
    [{ executable: false }, `unexecutable plugin at: /home/plugins/${GROUP}`],
    [{ problem: 'pinned', executable: false }, 'pinned'],
  ] as const)
    for (const files of [generating, transforming]) await assert.rejects(failing('', files, plugin), { message, file })
})

test('has no validators: one that is listed as such is refused', async () => {
  const { build, requests } = programs(generates(configMap('made')), installed)
  const kustomization = generating['kustomization.yaml']!.replace('generators', 'validators')
  await assert.rejects(build({ ...generating, 'kustomization.yaml': kustomization }), {
    message: 'App is not a validator: plugins of API groups generate and transform',
    file: 'app.yaml',
    field: 'validators',
  })
  assert.deepEqual(requests, [])
})

test('says that a plugin is gone by the time it is to run', async () => {
  const found: Record<string, object> = { ...installed, [`plugins/${other}`]: {} }
  const { build } = programs(() => {
    delete found[`plugins/${other}`]
    return ''
  }, found)
  const kustomization = 'generators: [app.yaml, other.yaml]\n'
  const files = { ...generating, 'kustomization.yaml': kustomization, 'other.yaml': APP.replace(GROUP, other) }
  await assert.rejects(build(files, { groups: [GROUP, other] }), {
    message: `no plugin found for API group ${other}: plugins/${other} not found`,
    file: 'kustomization.yaml',
  })
})

test('in strict mode runs twice, and reports a difference', async () => {
  const answers = (...given: readonly Answer[]) => {
    const left = [...given]
    const { build, requests } = programs(() => left.shift() ?? { exitCode: 127 }, installed)
    return { requests, built: build(generating, { strict: true }) }
  }
  const made = `${CONFIG_MAP}---\n${configMap('made')}`
  const same = answers(configMap('made'), configMap('made'))
  assert.equal(await same.built, made)
  assert.deepEqual(
    same.requests.map(({ args }) => args[0]),
    ['generate', 'generate', 'transform'],
  )
  const differing = `failure in plugin ${GROUP} generate; two runs with the same input gave different output`
  await assert.rejects(answers('a', 'b').built, { message: differing })
  await assert.rejects(answers('a', { stdout: 'a', exitCode: 1 }).built, { message: differing })
  await assert.rejects(answers('a', { stdout: 'b', problem: 'too slow' }).built, {
    message: `failure in plugin ${GROUP} generate; too slow`,
  })
  const failed = answers({ exitCode: 1 }, 'a')
  await assert.rejects(failed.built, { message: `failure in plugin ${GROUP} generate; exit status 1` })
  const ended = answers({ problem: 'too slow' }, 'a')
  await assert.rejects(ended.built, { message: `failure in plugin ${GROUP} generate; too slow` })
  assert.deepEqual([failed.requests.length, ended.requests.length], [1, 1])
})
