/** Automations of one repository: with the requests that a real git server gets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gitRepo } from '../../bed/git-repo.ts'
import { author, image, manifest, openAutomationWorld } from './automation-world.ts'
import { refOf } from './image-world.ts'

/** A marker for each of the policies `one`, `two` and `three`, in a file and a folder of its own. */
const manifestOf = (policy: string, tag = '1.0.0') => manifest(tag).replace('default:app', `default:${policy}`)
const policies = ['one', 'two', 'three'] as const
const fileOf = (policy: string) => `apps/${policy}/app.yaml`
const files = Object.fromEntries(policies.map(policy => [fileOf(policy), manifestOf(policy)]))
const others = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`more/${at}.yaml`, `kind: List\nat: ${at}\n`]))

const opened = async (repo = gitRepo({ ...files, ...others }), allowsFilters = true) => {
  const world = await openAutomationWorld(undefined, await repo)
  await world.repo.git('config', 'uploadpack.allowFilter', String(allowsFilters))
  const { server } = world.repo
  for (const policy of policies) await world.chooses('1.0.0', policy)
  const selectorOf = (policy: string) => ({ matchExpressions: [{ key: 'for', operator: 'In', values: [policy] }] })
  return {
    ...world,
    /** Chooses an image for a policy that only its own automation selects. */
    choosesFor: (policy: string, tag: string) => world.chooses(tag, policy, { for: policy }),
    automationOf: (policy: string, spec: object = {}) =>
      world.automation({ policySelector: selectorOf(policy), ...spec }, policy),
    tagIn: async (policy: string) =>
      new RegExp(`${image}:(\\S+)`).exec(await world.repo.git('show', `main:${fileOf(policy)}`))![1],
    /** Operations since the last call. */
    taken: () => server.requests.splice(0).map(({ operation }) => operation),
  }
}

const fetchesIn = (operations: readonly string[]) => operations.filter(operation => operation === 'fetch').length
const pushesIn = (operations: readonly string[]) => operations.filter(operation => operation === 'push').length

test('IM-068 one clone serves many automations of one repository: trees and files are fetched once', async () => {
  const world = await opened()
  for (const policy of policies) await world.choosesFor(policy, '1.1.0')
  world.taken()
  for (const policy of policies) {
    await world.automationOf(policy)
    assert.equal(await world.tagIn(policy), '1.1.0')
  }
  const operations = world.taken()
  assert.equal(fetchesIn(operations), 2, 'the trees, and the manifests')
  assert.equal(pushesIn(operations), 3)
  assert.equal(await world.repo.git('rev-list', '--count', 'main'), '4')
  await world.fsck()

  // The next images go over what was pushed, of which nothing is fetched.
  for (const policy of policies) await world.choosesFor(policy, '1.2.0')
  for (const policy of policies) await world.request('ImageUpdateAutomation', policy, '1.2.0')
  const more = world.taken()
  assert.deepEqual([fetchesIn(more), pushesIn(more)], [0, 3])
  assert.deepEqual(await Promise.all(policies.map(world.tagIn)), ['1.2.0', '1.2.0', '1.2.0'])
  await world.fsck()
})

test('IM-068 each path of a repository is fetched once, and what another client pushes is fetched without what is known', async () => {
  const world = await opened()
  for (const policy of policies) await world.choosesFor(policy, '1.1.0')
  world.taken()
  for (const policy of policies) await world.automationOf(policy, { update: { path: `apps/${policy}` } })
  assert.equal(fetchesIn(world.taken()), 4, 'the trees, and the manifest of each path')

  await world.repo.push({ [fileOf('two')]: manifestOf('two', '1.0.5'), 'README.md': 'hello' })
  for (const policy of policies) await world.choosesFor(policy, '1.3.0')
  for (const policy of policies) await world.request('ImageUpdateAutomation', policy, '1.3.0')
  assert.equal(fetchesIn(world.taken()), 2, 'the trees of the commit, and the one file that changed')
  assert.deepEqual(await Promise.all(policies.map(world.tagIn)), ['1.3.0', '1.3.0', '1.3.0'])
  assert.equal(await world.show('main:README.md'), 'hello')
  await world.fsck()
})

test('IM-068 runs of one repository that begin together wait for each other: no push meets another', async () => {
  const world = await opened()
  for (const policy of policies) {
    await world.choosesFor(policy, '1.1.0')
    await world.automationOf(policy)
  }
  for (const policy of policies) await world.choosesFor(policy, '1.2.0')
  world.taken()
  const refs = policies.map(policy => refOf('ImageUpdateAutomation', policy))
  await Promise.all(refs.map(ref => world.platform.schedule.setDue(ref, 0)))
  await Promise.all(refs.map(ref => world.loop.handle({ stage: 'resourceset', ref })))
  await world.settle()
  const operations = world.taken()
  assert.deepEqual([fetchesIn(operations), pushesIn(operations)], [0, 3])
  assert.equal(await world.repo.git('rev-list', '--count', '--first-parent', 'main'), '7')
  assert.deepEqual(await Promise.all(policies.map(world.tagIn)), ['1.2.0', '1.2.0', '1.2.0'])
})

test('IM-068 automations of other namespaces share the clone only with the same credentials', async () => {
  const auth = { username: 'jane', password: 'secret' }
  const world = await opened(gitRepo(files, { auth }))
  const create = async (namespace: string, password: string) => {
    if (namespace !== 'default') await world.create('Namespace', namespace, {}, '')
    await world.create('Secret', 'login', { stringData: { ...auth, password } }, namespace)
    const spec = { url: world.repo.url, ref: { branch: 'main' }, interval: '1h', secretRef: { name: 'login' } }
    await world.hub.patch(
      { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository', namespace, name: 'app' },
      {
        type: 'apply',
        object: {
          ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', spec },
          metadata: { name: 'app', namespace },
        },
      },
      { fieldManager: 'author', force: true },
    )
    world.taken()
    const automation = { sourceRef: { kind: 'GitRepository', name: 'app' }, interval: '10m', git: { commit: author } }
    await world.applies('ImageUpdateAutomation', 'auto', automation, namespace)
    const [ready] = await world.conditions('ImageUpdateAutomation', 'auto', namespace)
    return { ready, fetches: fetchesIn(world.taken()) }
  }
  const upToDate = 'Ready=True Succeeded: repository up-to-date'
  assert.deepEqual(await create('default', auth.password), { ready: upToDate, fetches: 2 })
  assert.deepEqual(await create('team', auth.password), { ready: upToDate, fetches: 0 })
  const { ready, fetches } = await create('other', 'guessed')
  assert.match(ready!, /Ready=False GitOperationFailed: failed to checkout source: .*(authentication|401)/)
  assert.equal(fetches, 0, 'the server itself refuses')
})

test('IM-068 a server without filters sends the repository once', async () => {
  const world = await opened(gitRepo(files), false)
  for (const policy of policies) await world.choosesFor(policy, '1.1.0')
  world.taken()
  for (const policy of policies) await world.automationOf(policy)
  assert.equal(fetchesIn(world.taken()), 2, 'a filter that is refused, and the repository')
  assert.deepEqual(await Promise.all(policies.map(world.tagIn)), ['1.1.0', '1.1.0', '1.1.0'])
})
