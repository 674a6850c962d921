import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announcedAnnotation } from '../../lib/foundations/kinds/announced-version.ts'
import { requestedAtAnnotation } from '../../lib/foundations/kinds/flux.ts'
import { announcedVersionFor, requestReconciliation } from '../../lib/signals/webhook/reconcile-request.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { type GitWorld, openGitWorld } from './git-world.ts'

const second = 1000
const main = 'refs/heads/main'

const opened = async () => {
  const repo = await gitRepo({ 'a.yaml': 'a: 1\n' })
  const world = await openGitWorld()
  await world.applies('app', { url: repo.url })
  const first = await repo.git('rev-parse', 'main')
  return { repo, world, first }
}

/** A webhook's part: the source is told of a commit, and asked to look. */
const announce = async (world: GitWorld, commit: string): Promise<void> => {
  const source = (await world.hub.get<never>(world.ref('app')))!
  const announced = announcedVersionFor(source, new Map([[main, commit]]))
  const ports = { hub: world.hub, clock: world.clock, random: { ...world.platform.random, uuid: () => '' } }
  await requestReconciliation(ports as never, world.ref('app'), { user: 'Receiver default/hook', announced })
  await world.settle()
}

const heldBy = async (world: GitWorld) => (await world.statusOf('app'))?.artifact?.revision

test('fetches the commit that an event names while it resolves the branch, in two requests', async () => {
  const { repo, world } = await opened()
  const [commit, before] = [await repo.push({ 'a.yaml': 'a: 2\n' }), repo.operations().length]
  await announce(world, commit)
  assert.equal(await heldBy(world), `main@sha1:${commit}`)
  assert.deepEqual(repo.operations().slice(before).sort(), ['fetch', 'ls-refs'])
})

test('a forged event moves a source nowhere: not to what another branch holds, nor to what is not there', async () => {
  const { repo, world, first } = await opened()
  const evil = await repo.push({ 'a.yaml': 'a: evil\n' }, { branch: 'evil' })
  for (const commit of [evil, 'f'.repeat(40)]) {
    await announce(world, commit)
    assert.equal(await heldBy(world), `main@sha1:${first}`)
  }
})

test('an event that comes late or again does not move a source back', async () => {
  const { repo, world, first } = await opened()
  const second = await repo.push({ 'a.yaml': 'a: 2\n' })
  const third = await repo.push({ 'a.yaml': 'a: 3\n' })
  await announce(world, third)
  for (const stale of [second, first, third]) {
    await announce(world, stale)
    assert.equal(await heldBy(world), `main@sha1:${third}`)
  }
})

test('a server that lags behind is polled again soon, and never returns a source to an older version', async () => {
  const { repo, world, first } = await opened()
  const commit = await repo.push({ 'a.yaml': 'a: 2\n' })
  await repo.git('update-ref', main, first) // a replica that has not heard of it
  await announce(world, commit)
  assert.equal(await heldBy(world), `main@sha1:${first}`)
  await repo.git('update-ref', main, commit)
  await world.advance(5 * second)
  assert.equal(await heldBy(world), `main@sha1:${commit}`)
  await repo.git('update-ref', main, first)
  await world.hub.patch(
    world.ref('app'),
    { type: 'merge', patch: { metadata: { annotations: { [requestedAtAnnotation]: 'by hand' } } } },
    { fieldManager: 'someone' },
  )
  await world.settle()
  assert.equal(await heldBy(world), `main@sha1:${commit}`)
  await world.advance(6 * 60 * second)
  assert.equal(await heldBy(world), `main@sha1:${first}`, 'after some minutes the branch is believed')
})

test('an announcement that is no such thing is not read', async () => {
  const { world, first } = await opened()
  for (const text of ['', 'x', '[]', 'null', '{"version":"refs/heads/main","to":"../x","from":"","at":1}']) {
    const annotations = { [announcedAnnotation]: text, [requestedAtAnnotation]: `asked ${text}` }
    await world.hub.patch(
      world.ref('app'),
      { type: 'merge', patch: { metadata: { annotations } } },
      {
        fieldManager: 'someone',
      },
    )
    await world.settle()
    assert.equal(await heldBy(world), `main@sha1:${first}`)
  }
})
