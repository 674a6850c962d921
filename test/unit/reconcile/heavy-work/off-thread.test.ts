import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workerPool } from '../../../../lib/adapters/embedded/worker-pool.ts'
import { Budget, BudgetExceeded, defaultBuildLimits } from '../../../../lib/budget/budget.ts'
import { RemoteStatusError, type Remotes } from '../../../../lib/kustomize/remotes.ts'
import { hereOrElsewhere } from '../../../../lib/reconcile/heavy-work/here-or-elsewhere.ts'
import {
  buildOffThread,
  expandOffThread,
  substituteOffThread,
} from '../../../../lib/reconcile/heavy-work/off-thread.ts'
import { renderFolder } from '../../../../lib/reconcile/kustomization/build/render-folder.ts'
import { substituteAll } from '../../../../lib/reconcile/kustomization/build/substitute-all.ts'
import { traceReads } from '../../../../lib/reconcile/kustomization/build/traced-files.ts'
import { render } from '../../../../lib/resource-set/render.ts'
import { endWithTest } from '../../../bed/teardown.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'
import { configMap } from '../kustomization/scene.ts'

const workers = () => {
  const entry = new URL('../../../../lib/compose/heavy-work-thread.ts', import.meta.url)
  const pool = workerPool({ entry, size: 1, seconds: 60, megabytes: 256 })
  endWithTest({ [Symbol.asyncDispose]: () => pool.close() })
  return pool
}

const options = { group: 'default' }
const spec = { interval: '1m', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' } } as const
const settings = { noRemoteBases: false, buildLimits: defaultBuildLimits }
const many = Array.from({ length: 700 }, (_, i) => configMap(`c${i}`, '${v}')).join('---\n')
const tree = () =>
  memoryTree({
    'app/kustomization.yaml':
      'resources: [many.yaml]\nnamePrefix: p-\nconfigMapGenerator: [{name: g, files: [data]}]\n',
    'app/many.yaml': many,
    'app/data': 'some\ntext',
  })

test('a build off the thread makes and reads the same as one on it', async () => {
  const [here, there] = [traceReads(tree()), traceReads(tree())]
  const expected = await renderFolder(here.files, 'app', spec, {}, { ...settings, pluginGroups: [] })
  const input = { folder: 'app', spec, settings }
  assert.deepEqual(await buildOffThread(workers(), there.files, input, undefined, options), expected)
  assert.deepEqual(there.trace(), here.trace())
})

test('a build off the thread has its remote bases fetched here, and fails in the same words', async () => {
  const thread = workers()
  const remotes: Remotes = {
    file: async url => {
      if (url.includes('missing')) throw new RemoteStatusError(404, 'Not Found')
      return Buffer.from(configMap('remote', '1'))
    },
    repository: async () =>
      memoryTree({ 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': configMap('base', '1') }),
  }
  const built = (resource: string, on: 'here' | 'there') => {
    const files = memoryTree({ 'app/kustomization.yaml': `resources: ['${resource}']\n` })
    return on === 'here'
      ? renderFolder(files, 'app', spec, { remotes }, { ...settings, pluginGroups: [] })
      : buildOffThread(thread, files, { folder: 'app', spec, settings }, remotes, options)
  }
  for (const resource of ['https://files.example/a.yaml', 'git::https://git.example/org/lib'])
    assert.deepEqual(await built(resource, 'there'), await built(resource, 'here'))
  for (const resource of ['https://files.example/missing.yaml', 'missing.yaml']) {
    const { message } = await built(resource, 'here').then(
      () => assert.fail('it was built'),
      error => error as Error,
    )
    await assert.rejects(built(resource, 'there'), { message })
  }
})

test('variables and templates off the thread make the same as on it', async () => {
  const thread = workers()
  const { manifests } = await renderFolder(tree(), 'app', spec, {}, { ...settings, pluginGroups: [] })
  const variables = new Map([['v', 'value']])
  const input = { manifests, variables, strict: true, limits: defaultBuildLimits }
  assert.deepEqual(
    await substituteOffThread(thread, input, options),
    substituteAll(manifests, variables, { strict: true, budget: new Budget() }),
  )
  const set = {
    resourcesTemplate: '<< range until 30 >>---\nkind: A\napiVersion: v1\nmetadata: {name: x-<< . >>}\n<< end >>',
  }
  assert.deepEqual(
    await expandOffThread(thread, { spec: set, inputs: [], limits: defaultBuildLimits, now: 0 }, options),
    render(set, []),
  )
})

test('what goes over its budget off the thread names budget and place', async () => {
  const files = memoryTree({ 'app/kustomization.yaml': 'resources: [many.yaml]\n', 'app/many.yaml': many })
  const limits = { ...defaultBuildLimits, resources: 600 }
  await assert.rejects(
    buildOffThread(
      workers(),
      files,
      { folder: 'app', spec, settings: { ...settings, buildLimits: limits } },
      undefined,
      options,
    ),
    (error: unknown) => error instanceof BudgetExceeded && error.budget === 'resources' && error.limit === 600,
  )
})

test('work is begun here with a small budget, and only what needs more goes elsewhere', async () => {
  let asked = 0
  const elsewhere = async () => {
    asked++
    return 'elsewhere'
  }
  const spending = (steps: number) => (budget: Budget) => {
    budget.spend('steps', steps)
    return 'here'
  }
  assert.equal(await hereOrElsewhere(defaultBuildLimits, spending(100), elsewhere), 'here')
  assert.equal(await hereOrElsewhere(defaultBuildLimits, spending(1e6), elsewhere), 'elsewhere')
  assert.equal(await hereOrElsewhere(defaultBuildLimits, spending(1e6), undefined), 'here')
  await assert.rejects(hereOrElsewhere(defaultBuildLimits, spending(1e9), undefined), BudgetExceeded)
  const failing = () => {
    throw new Error('failed')
  }
  await assert.rejects(hereOrElsewhere(defaultBuildLimits, failing, elsewhere), { message: 'failed' })
  assert.equal(asked, 1)
})
