/** Keys that are replaced on a schedule, and runners of another version than their hub. */
import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { Transport } from '../../../../lib/clusters/client/transport.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { hubLink, type RunnerKeys } from '../../../../lib/hub/runners/hub-link.ts'
import { runnerPath } from '../../../../lib/hub/runners/protocol.ts'
import { signRequest } from '../../../../lib/hub/runners/signed-request.ts'
import { type RunnerWorld, runnerWorld } from './runner-world.ts'

const aurora = 'ships/aurora'

const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey
const textOf = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')

/** A runner that has joined, with its link to the hub. `fate` may lose the response of a request. */
const linked = async (world: RunnerWorld, fate: (path: string) => 'lost' | undefined = () => undefined) => {
  const first = newKey()
  const joined = await world.runner(aurora, first)
  const kept: { current: KeyObject; next: KeyObject | undefined } = { current: first, next: undefined }
  const keys: RunnerKeys = {
    get current() {
      return kept.current
    },
    get next() {
      return kept.next
    },
    makeNext: async () => {
      kept.next ??= newKey()
      return kept.next
    },
    promote: async () => {
      if (kept.next) [kept.current, kept.next] = [kept.next, undefined]
    },
  }
  const send: Transport = async ({ method, path, headers, body }) => {
    const { authorization } = headers as { readonly authorization: string }
    const request = new Request(`https://hub.example.org${path}`, {
      method,
      headers: { authorization },
      body: String(body),
    })
    const { status, body: answer } = await world.replay(request)
    if (fate(path) === 'lost') throw new ClusterError('unreachable', 'lost on the way back')
    return { status, header: () => undefined, body: JSON.stringify(answer) }
  }
  const link = hubLink({ send, clock: world.clock, keys, cluster: aurora })
  return { first, kept, link, lease: joined.sync.lease }
}

test('a runner replaces its key, and the old one is refused from then on', async () => {
  const world = await runnerWorld()
  const { first, kept, link, lease } = await linked(world)
  await link.renewKey(lease)
  assert.notEqual(kept.current, first)
  assert.equal(kept.next, undefined)
  await link.request('sync', { lease })
  assert.equal((await world.caller(first).send(aurora, 'sync', { lease })).status, 401)
})

test('a runner that does not hear whether its key was replaced finds out with its next request', async () => {
  const world = await runnerWorld()
  let isLost = true
  const { first, kept, link, lease } = await linked(world, path => (isLost && /renew$/.test(path) ? 'lost' : undefined))
  await assert.rejects(link.renewKey(lease), /lost/)
  isLost = false
  assert.equal(kept.current, first)
  await link.request('sync', { lease })
  assert.notEqual(kept.current, first)
})

test('a key is replaced only by one whose holder proves it, under the lease', async () => {
  const world = await runnerWorld()
  const first = newKey()
  const { sync } = await world.runner(aurora, first)
  const [mine, foreign] = [newKey(), newKey()]
  const renew = (publicKey: string, signer: KeyObject, cluster = aurora, lease = sync.lease) => {
    const signature = signRequest(
      { cluster, path: `${runnerPath}renew`, body: publicKey, now: world.clock.now() },
      signer,
    )
    return world.caller(first).send(aurora, 'renew', { lease, publicKey, signature })
  }
  assert.equal((await renew(textOf(foreign), mine)).status, 400)
  assert.equal((await renew(textOf(mine), mine, 'shops/berlin')).status, 400)
  assert.equal((await renew('none', mine)).status, 400)
  assert.equal((await renew(textOf(mine), mine, aurora, sync.lease + 1)).status, 410)
  assert.equal((await world.caller(mine).send(aurora, 'sync', { lease: sync.lease })).status, 401)
  assert.equal((await renew(textOf(mine), mine)).status, 200)
})

test('the hub says which version a runner has, and that it is outdated; runners of any version work', async () => {
  const world = await runnerWorld()
  const annotation = async (name = 'version') =>
    (await world.hub.get<KubernetesObject>({
      group: 'fleet.keelson.dev',
      kind: 'Cluster',
      namespace: 'ships',
      name: 'aurora',
    }))!.metadata.annotations?.[`fleet.keelson.dev/runner-${name}`]
  const { caller, sync } = await world.runner(aurora)
  assert.equal(await annotation(), undefined, 'one that does not say it')
  let { lease } = sync
  for (const [version, outdated] of [
    ['1.2.2', 1],
    ['1.2.2', 1],
    ['1.2.3', 1],
    ['1.3.0', 1],
    ['0.9.0', 2],
    ['not a version!', 2],
  ] as const) {
    const answer = await caller.send(aurora, 'sync', { resumes: lease, version })
    assert.equal(answer.status, 200)
    lease = answer.body.lease as number
    assert.equal(world.events.filter(event => event === 'ships/aurora RunnerOutdated').length, outdated, version)
  }
  assert.equal(await annotation(), '0.9.0')

  await caller.send(aurora, 'sync', { lease, version: '1.2.3', takes: ['plan', 'comparison', 'no type!'] })
  assert.deepEqual([await annotation(), await annotation('orders')], ['1.2.3', 'plan,comparison'])
  await caller.send(aurora, 'sync', { lease, version: '1.2.3', takes: ['plan'] })
  assert.equal(await annotation('orders'), 'plan', 'the same version, started with other flags')
})
