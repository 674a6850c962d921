import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PullRequest } from '../../../../lib/foundations/kinds/pull-request.ts'
import { fleetGroup } from '../../../../lib/foundations/kinds/references.ts'
import { type Options, repository, type Scene, signed, within } from './receiver-scene.ts'

const sha = (digit: string) => digit.repeat(40)

const body = (
  commit: string,
  { number = 7, state = 'open', base = 'main', fork = 'org/app', action = 'synchronize' } = {},
) =>
  JSON.stringify({
    action,
    pull_request: {
      ...{ number, state, user: { login: 'ada' } },
      head: { sha: commit, repo: { full_name: fork } },
      base: { ref: base, repo: { full_name: 'org/app' } },
    },
    repository: { clone_url: 'https://git.example.com/org/app.git' },
    sender: { login: 'ada' },
  })

const url = 'https://git.example.com/org/app'
const repositories = [
  repository('app', { url, ref: { branch: 'main' } }),
  repository('same', { url, ref: { branch: 'main' }, labels: { app: 'one' } }),
  repository('release', { url, ref: { branch: 'release' }, labels: { app: 'one' } }),
  repository('unnamed', { url, ref: { branch: 'main' } }),
  repository('far', { url, ref: { branch: 'main' }, namespace: 'other' }),
]
const annotations = { 'fleet.keelson.dev/plan-pull-requests': 'forge' }
const planned = (more: Record<string, string> = {}): Options => ({
  repositories,
  metadata: { name: 'hook', namespace: 'default', annotations: { ...annotations, ...more } },
})
const resources = [
  { kind: 'GitRepository', name: 'app' },
  { kind: 'GitRepository', name: '*', matchLabels: { app: 'one' } },
  { kind: 'GitRepository', name: 'far', namespace: 'other' },
]

const send = (scene: Scene, text: string) =>
  scene.send({ body: text, headers: { 'x-hub-signature-256': signed(text), 'x-github-event': 'pull_request' } })

const requests = async ({ hub }: Scene): Promise<readonly PullRequest[]> =>
  (await hub.list<PullRequest>({ group: fleetGroup, kind: 'PullRequest' })).items

test('a pull request becomes an object with the sources that the Receiver names in its namespace, and no source is fetched', () =>
  within(
    { resources },
    async scene => {
      assert.equal(await send(scene, body(sha('a'))), '200')
      const [request, ...more] = await requests(scene)
      assert.deepEqual(more, [])
      assert.equal(request?.metadata.name, 'hook-7')
      assert.deepEqual(request?.spec, {
        ...{
          receiver: 'hook',
          provider: 'forge',
          number: '7',
          ref: 'refs/pull/7/head',
          commit: sha('a'),
          base: 'main',
        },
        ...{ author: 'ada', state: 'Open' },
        sources: ['app', 'same'].map(name => ({ name, head: { name: `${name}-pr-7` } })),
      })
      const [delivery] = await scene.deliveries()
      assert.deepEqual(
        delivery?.objects?.map(({ kind, name }) => `${kind}/${name}`),
        ['PullRequest/hook-7'],
      )
      assert.match(delivery?.message ?? '', /pull request 7 is planned at aaaaaaaaaaaa/)
      await assert.rejects(scene.redeliver(delivery!.metadata.name, 'jane'), /redeliver it at the sender/)
    },
    planned(),
  ))

test('only the newest head is kept, and events that change nothing change nothing', () =>
  within(
    { resources },
    async scene => {
      for (const digit of ['a', 'b', 'c']) assert.equal(await send(scene, body(sha(digit))), '200')
      const [request] = await requests(scene)
      assert.equal(request?.spec.commit, sha('c'))
      assert.equal(await send(scene, body(sha('c'), { action: 'labeled' })), '200')
      const [same] = await requests(scene)
      assert.equal(same?.metadata.generation, request?.metadata.generation)
    },
    planned(),
  ))

test('the end of a pull request closes its object; one that was never planned gets none', () =>
  within(
    { resources },
    async scene => {
      await send(scene, body(sha('a')))
      await send(scene, body(sha('a'), { state: 'closed' }))
      await send(scene, body(sha('b'), { state: 'closed', number: 8 }))
      assert.deepEqual(
        (await requests(scene)).map(({ metadata, spec }) => [metadata.name, spec.state]),
        [['hook-7', 'Closed']],
      )
    },
    planned(),
  ))

test('forks are planned only if they are listed', () =>
  within(
    { resources },
    async scene => {
      await send(scene, body(sha('a'), { fork: 'mallory/app' }))
      assert.deepEqual(await requests(scene), [])
      await send(scene, body(sha('b'), { fork: 'friend/app', number: 8 }))
      assert.deepEqual(
        (await requests(scene)).map(({ spec }) => [spec.number, spec.fork]),
        [['8', 'friend/app']],
      )
    },
    planned({ 'fleet.keelson.dev/plan-forks': 'friend' }),
  ))

test('nothing is planned for a base that no named source follows, nor for sources that a filter refuses', async () => {
  await within(
    { resources },
    async scene => {
      await send(scene, body(sha('a'), { base: 'other' }))
      assert.deepEqual(await requests(scene), [])
    },
    planned(),
  )
  await within(
    { resources, resourceFilter: "res.metadata.name == 'same'" },
    async scene => {
      await send(scene, body(sha('a')))
      assert.deepEqual(
        (await requests(scene)).flatMap(({ spec }) => spec.sources.map(({ name }) => name)),
        ['same'],
      )
    },
    planned(),
  )
})

test('at most a hundred pull requests of a Receiver are planned at a time', () =>
  within(
    { resources },
    async scene => {
      for (let number = 1; number <= 101; number++) await send(scene, body(sha('a'), { number }))
      assert.equal((await requests(scene)).length, 100)
      const messages = (await scene.deliveries()).map(({ message }) => message)
      assert.ok(messages.includes('ok: pull request 101 is not planned, as 100 others are open'))
    },
    planned(),
  ))

test('without the annotation a pull request event reconciles the objects, as in Flux', () =>
  within(
    { resources },
    async scene => {
      assert.equal(await send(scene, body(sha('a'))), '200 app release same far')
      assert.deepEqual(await requests(scene), [])
    },
    { repositories },
  ))
