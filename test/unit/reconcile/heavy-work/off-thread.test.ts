import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileSystem } from '../../../../lib/engines/kustomize/file-system.ts'
import type { PluginRequest, PluginRunner } from '../../../../lib/engines/kustomize/plugins/exec/plugin-runner.ts'
import { RemoteStatusError, type Remotes } from '../../../../lib/engines/kustomize/remotes.ts'
import { render } from '../../../../lib/engines/resource-set/render.ts'
import { ageService } from '../../../../lib/engines/sops/keys/age-identities.ts'
import type { AgeKey } from '../../../../lib/engines/sops/master-key.ts'
import { Budget, BudgetExceeded, defaultBuildLimits, type Limits } from '../../../../lib/foundations/budget/budget.ts'
import { hereOrElsewhere } from '../../../../lib/reconcile/heavy-work/here-or-elsewhere.ts'
import {
  buildOffThread,
  expandOffThread,
  substituteOffThread,
} from '../../../../lib/reconcile/heavy-work/off-thread.ts'
import { renderFolder } from '../../../../lib/reconcile/kustomization/build/render-folder.ts'
import { renderSource } from '../../../../lib/reconcile/kustomization/build/render-source.ts'
import { substituteAll } from '../../../../lib/reconcile/kustomization/build/substitute-all.ts'
import { traceReads } from '../../../../lib/reconcile/kustomization/build/traced-files.ts'
import { createDecryptor } from '../../../../lib/reconcile/kustomization/decryption/decryptor.ts'
import { ageLock, type EncryptOptions, encryptSopsYaml } from '../../../bed/encrypt-sops.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'
import { ageKey, secretManifest } from '../kustomization/decryption/decryption-scene.ts'
import { configMap } from '../kustomization/scene.ts'
import { workers } from './workers.ts'

const options = { group: 'default' }
const spec = { interval: '1m', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' } } as const
const settings = { noRemoteBases: false, pluginGroups: [], buildLimits: defaultBuildLimits }
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
  const expected = await renderFolder(here.files, 'app', spec, {}, settings)
  const source = { files: there.files, folder: 'app', spec, settings }
  assert.deepEqual(await buildOffThread(workers(), source, {}, options), expected)
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
      ? renderFolder(files, 'app', spec, { remotes }, settings)
      : buildOffThread(thread, { files, folder: 'app', spec, settings }, { remotes }, options)
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
  const { manifests } = await renderFolder(tree(), 'app', spec, {}, settings)
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
      { files, folder: 'app', spec, settings: { ...settings, buildLimits: limits } },
      {},
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

/** A Secret in a file of its own, another as the input of a generator, and much that is not encrypted. */
const encryptedTree = async (recipient: string, tamper?: EncryptOptions['tamper']) => {
  const sealing = { locks: [ageLock(recipient)], encryptedRegex: '^(data|stringData)$' }
  const [secret, input] = [secretManifest('s', { password: 'hush' }), secretManifest('i', { token: 'hushed' })]
  return memoryTree({
    'app/kustomization.yaml': 'resources: [many.yaml, s.yaml]\nsecretGenerator: [{name: g, files: [i.yaml]}]\n',
    'app/many.yaml': many,
    'app/s.yaml': await encryptSopsYaml(secret, { ...sealing, ...(tamper && { tamper }) }),
    'app/i.yaml': await encryptSopsYaml(input, sealing),
  })
}

test('a build off the thread decrypts as one on it, without the keys', async () => {
  const { identity, recipient } = await ageKey()
  const open = await ageService([identity])
  const opened: string[] = []
  const services = {
    age: (key: AgeKey) => {
      opened.push(key.recipient)
      return open(key)
    },
  }
  const thread = workers()
  const built = async (files: FileSystem, verifyMac: boolean, on: 'here' | 'there') => {
    const decryptor = createDecryptor({ identity: '', services, verifyMac })
    const rendered =
      on === 'here'
        ? renderSource(files, 'app', spec, { decryptor }, settings, new Budget())
        : buildOffThread(thread, { files, folder: 'app', spec, settings }, { decryptor }, options)
    return rendered.catch(({ message }: Error) => message)
  }
  const plain = await encryptedTree(recipient)
  const here = await built(plain, true, 'here')
  assert.match(JSON.stringify(here), /hush[^e]/)
  assert.deepEqual(await built(plain, true, 'there'), here)
  assert.equal(opened.length, 4)

  const changed = await encryptedTree(recipient, document => ({ ...document, kind: 'ConfigMap' }))
  assert.match((await built(changed, true, 'here')) as string, /failed to verify sops data integrity/)
  assert.equal(await built(changed, true, 'there'), await built(changed, true, 'here'))
  const foreign = await encryptedTree((await ageKey()).recipient)
  assert.match((await built(foreign, false, 'here')) as string, /cannot get sops data key/)
  assert.equal(await built(foreign, false, 'there'), await built(foreign, false, 'here'))
})

test('what is encrypted counts like what is not', async () => {
  const { identity, recipient } = await ageKey()
  const decryptor = createDecryptor({ identity: '', services: { age: await ageService([identity]) }, verifyMac: true })
  const sealing = { locks: [ageLock(recipient)], encryptedRegex: '^(data|stringData)$' }
  const values = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at}`, 'v']))
  const files = memoryTree({ 'app/s.yaml': await encryptSopsYaml(secretManifest('s', values), sealing) })
  const built = (limits: Limits) => renderSource(files, 'app', spec, { decryptor }, settings, new Budget(limits))
  const { manifests } = await built({ steps: 100_000, nodes: 1_000_000 })
  assert.equal(manifests.length, 1)
  for (const limits of [{ steps: 6_000 }, { nodes: 6_000 }]) await assert.rejects(built(limits), BudgetExceeded)
})

test('a build off the thread has its plugins run here', async () => {
  const requests: PluginRequest[] = []
  const plugins: PluginRunner = {
    locate: path => ({ program: `/home/${path}`, executable: true }),
    run: async request => {
      requests.push(request)
      return { exitCode: 0, stdout: configMap('generated', '1'), stderr: '' }
    },
  }
  const files = memoryTree({
    'app/kustomization.yaml': 'generators: [greeting.yaml]\n',
    'app/greeting.yaml': 'apiVersion: team.example/v1\nkind: Greeting\nmetadata: {name: g}\n',
  })
  const allowed = { ...settings, pluginGroups: ['team.example'] }
  const here = await renderSource(files, 'app', spec, { plugins }, allowed, new Budget())
  const there = await buildOffThread(workers(), { files, folder: 'app', spec, settings: allowed }, { plugins }, options)
  assert.deepEqual(there, here)
  assert.equal(there.isRepeatable, false)
  const asked = requests.map(({ files, ...request }) => ({
    ...request,
    files: [...files].map(([path, content]) => [path, Buffer.from(content).toString()]),
  }))
  assert.deepEqual(asked.slice(2), asked.slice(0, 2))
})
