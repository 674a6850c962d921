import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { GitRepository } from '../../../../lib/foundations/kinds/git-repository.ts'
import type { Outcome } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { shown, type World } from '../world.ts'
import { author, done, kustomization, passesOf, repository, repositoryRef, within } from './loop-scene.ts'

test('brings a new object to Ready, with its finalizer and the generation observed', () =>
  within(
    async () => done,
    async ({ hub, settle }) => {
      await hub.create(repository('app'), author)
      await settle()
      const stored = await hub.get<GitRepository>(repositoryRef('app'))
      assert.deepEqual(stored?.metadata.finalizers, ['finalizers.fluxcd.io'])
      assert.deepEqual(shown(stored), ['Ready=True Succeeded: stored'])
      assert.deepEqual(
        { ...stored?.status, conditions: stored?.status?.conditions?.map(each => each.observedGeneration) },
        { observedGeneration: 1, conditions: [1] },
      )
    },
  ))

test('shows each step of a pass to watchers, as source-controller does', async () => {
  let world: World
  const seen: (readonly string[])[] = []
  await within(
    async (object, pass) => {
      const look = async () => seen.push(shown(await world.hub.get(repositoryRef(object.metadata.name))))
      await pass.open()
      await look()
      await pass.progress('building artifact')
      await look()
      await pass.progress('building artifact: new upstream revision', {
        conditions: { ArtifactOutdated: { status: 'True', reason: 'NewRevision', message: 'new' } },
      })
      await look()
      return { ...done, conditions: { ArtifactOutdated: null } }
    },
    async opened => {
      world = opened
      await world.hub.create(repository('app'), author)
      await world.settle()
      seen.push(shown(await world.hub.get(repositoryRef('app'))))
    },
  )
  const both = (message: string) => [
    `Reconciling=True Progressing: ${message}`,
    `Ready=Unknown Progressing: ${message}`,
  ]
  assert.deepEqual(seen, [
    both('processing object: new generation -1 -> 1'),
    both('building artifact'),
    [...both('building artifact: new upstream revision'), 'ArtifactOutdated=True NewRevision: new'],
    ['Ready=True Succeeded: stored'],
  ])
})

test('reconciles again after the interval, and at once if an annotation changes', () =>
  within(
    async () => done,
    async world => {
      const { hub, settle, advance } = world
      await hub.create(repository('app'), author)
      await settle()
      await advance(599_000)
      assert.equal(passesOf(world, 'app'), 1)
      await advance(2_000)
      assert.equal(passesOf(world, 'app'), 2)

      const patch = { metadata: { annotations: { [requestedAtAnnotation]: 'now' } } }
      await hub.patch(repositoryRef('app'), { type: 'merge', patch }, author)
      await settle()
      assert.equal(passesOf(world, 'app'), 3)
      const stored = await hub.get<GitRepository>(repositoryRef('app'))
      assert.equal(stored?.status?.lastHandledReconcileAt, 'now')

      // The store makes it due: without a message it would stand still until the next tick.
      const marked = { metadata: { annotations: { 'keelson.dev/on-failure': 'undo' } } }
      await hub.patch(repositoryRef('app'), { type: 'merge', patch: marked }, author)
      await settle()
      assert.equal(passesOf(world, 'app'), 4)
    },
  ))

test('retries a failure with growing delays, and reports it once per reason and message', () =>
  within(
    async (_, pass) => {
      await pass.progress('fetching')
      return { type: 'failed', reason: 'GitOperationFailed', message: 'no such branch' }
    },
    async world => {
      const { hub, clock, advance, settle, passes, eventsOf } = world
      await hub.create(repository('app'), author)
      await settle()
      const stored = await hub.get<GitRepository>(repositoryRef('app'))
      assert.deepEqual(shown(stored), [
        'Reconciling=True ProgressingWithRetry: fetching',
        'Ready=False GitOperationFailed: no such branch',
      ])
      assert.equal(stored?.status?.observedGeneration, -1)

      const start = clock.now()
      const times: number[] = []
      for (let known = passes.length; times.length < 7; known = passes.length) {
        while (passes.length === known) await advance(500)
        times.push(Math.round((clock.now() - start) / 1000))
      }
      assert.deepEqual(times, [1, 2, 4, 7, 15, 29, 59])
      assert.deepEqual(await eventsOf(repositoryRef('app')), ['Warning GitOperationFailed 8x: no such branch'])
    },
  ))

test('leaves a stalled object alone until its spec changes', () =>
  within(
    async () => ({ type: 'stalled', reason: 'URLInvalid', message: 'what a url' }),
    async world => {
      const { hub, settle, advance } = world
      await hub.create(repository('app'), author)
      await settle()
      const stored = await hub.get<GitRepository>(repositoryRef('app'))
      assert.deepEqual(shown(stored), ['Stalled=True URLInvalid: what a url', 'Ready=False URLInvalid: what a url'])
      assert.equal(stored?.status?.observedGeneration, 1)
      await advance(3_600_000)
      assert.equal(passesOf(world, 'app'), 1)
      const patch = { spec: { url: 'https://git.example.com/other' } }
      await hub.patch(repositoryRef('app'), { type: 'merge', patch }, author)
      await settle()
      assert.equal(passesOf(world, 'app'), 2)
    },
  ))

test('shows an error that no reconciler expected, and continues', () =>
  within(
    async () => {
      throw new Error('the server went away')
    },
    async ({ hub, settle, waiting }) => {
      await hub.create(repository('app'), author)
      await settle()
      assert.deepEqual(shown(await hub.get(repositoryRef('app'))), [
        'Ready=False ReconciliationFailed: the server went away',
      ])
      assert.equal(waiting.length, 1)
    },
  ))

test('of a bug it shows only that there is one: the log has the rest', () =>
  within(
    async () => {
      throw new TypeError("Cannot read properties of undefined (reading 'name')")
    },
    async ({ hub, settle, lines }) => {
      await hub.create(repository('app'), author)
      await settle()
      assert.deepEqual(shown(await hub.get(repositoryRef('app'))), [
        'Ready=False ReconciliationFailed: internal error: this is a bug in Keelson; see the log of the hub',
      ])
      assert.match(String(lines.find(({ error }) => error)?.error), /reading 'name'/)
    },
  ))

test('does nothing for a suspended object except acknowledge a request', () =>
  within(
    async () => assert.fail('reconciled'),
    async ({ hub, settle, advance, waiting }) => {
      const asked = repository('app', { suspend: true })
      const metadata = { ...asked.metadata, annotations: { [requestedAtAnnotation]: 'now' } }
      await hub.create({ ...asked, metadata }, author)
      await settle()
      await advance(3_600_000)
      const stored = await hub.get<GitRepository>(repositoryRef('app'))
      assert.deepEqual(stored?.metadata.finalizers, ['finalizers.fluxcd.io'])
      assert.deepEqual(stored?.status, { observedGeneration: -1, lastHandledReconcileAt: 'now' })
      assert.deepEqual(waiting, [])
    },
  ))

test('lets a deleted object go once it is undone, suspended or not', () =>
  within(
    async () => done,
    async ({ hub, settle, passes }) => {
      await hub.create(repository('app', { suspend: true }), author)
      await settle()
      await hub.delete(repositoryRef('app'), {})
      assert.ok(await hub.get(repositoryRef('app')))
      await settle()
      assert.equal(await hub.get(repositoryRef('app')), undefined)
      assert.deepEqual(
        passes.map(({ outcome }) => outcome),
        ['suspended', 'deleted'],
      )
    },
  ))

for (const [what, patch, generation] of [
  ['settings', { spec: { interval: '20m' } }, 2],
  ['annotations', { metadata: { annotations: { 'example.com/any': 'new' } } }, 1],
] as const)
  test(`does one more pass if the object's ${what} change during a pass`, () => {
    let world: World
    let changes = 0
    return within(
      async () => {
        if (changes++ === 0) {
          await world.hub.patch(repositoryRef('app'), { type: 'merge', patch }, author)
          await world.loop.handle({ stage: 'source', ref: repositoryRef('app') })
          await world.loop.handle({ stage: 'source', ref: repositoryRef('app') })
        }
        return done
      },
      async opened => {
        world = opened
        await world.hub.create(repository('app'), author)
        await world.settle()
        assert.equal(passesOf(world, 'app'), 2)
        const stored = await world.hub.get<GitRepository>(repositoryRef('app'))
        assert.equal(stored?.status?.observedGeneration, generation)
      },
    )
  })

test('enqueues dependents of a source with a new artifact before the source is Ready', () => {
  const artifact = {
    digest: 'sha256:12',
    lastUpdateTime: '2026-01-01T00:00:00Z',
    path: 'gitrepository/default/app/1.tar.gz',
    revision: 'main@sha1:1',
    url: 'http://hub/gitrepository/default/app/1.tar.gz',
  }
  return within(
    async () => ({ ...done, status: { artifact }, triggersDependents: 'artifact' }) as Outcome<GitRepository>,
    async world => {
      const { hub, settle, ports } = world
      for (const name of ['one', 'two']) await hub.create(kustomization(name, 'app'), author)
      await hub.create(kustomization('other', 'elsewhere'), author)
      await settle()
      const counts = () => ['one', 'two', 'other'].map(name => passesOf(world, name))
      assert.deepEqual(counts(), [1, 1, 1])

      const states: unknown[] = []
      const send = ports.queue.send
      ports.queue.send = async messages => {
        if (messages.some(({ ref }) => ref.name === 'one')) {
          const source = await hub.get<GitRepository>(repositoryRef('app'))
          const { artifact: found, observedGeneration } = source?.status ?? {}
          states.push([shown(source), found?.revision, observedGeneration])
        }
        return send(messages)
      }
      await hub.create(repository('app'), author)
      await settle()
      assert.deepEqual(counts(), [2, 2, 1])
      assert.deepEqual(
        states,
        [[[], 'main@sha1:1', 1]],
        'helm-controller takes the artifact of an observed generation only',
      )
    },
  )
})
