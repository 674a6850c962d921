import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Receiver } from '../../../../lib/foundations/kinds/receiver.ts'
import type { Hub } from '../../../../lib/hub/store/hub.ts'
import { webhookPath } from '../../../../lib/signals/webhook/webhook-path.ts'
import { shown } from '../../reconcile/world.ts'
import { author, receiverRef, secret, signed, token, within } from './receiver-scene.ts'

const receiverOf = async (hub: Pick<Hub, 'get'>): Promise<Receiver> => (await hub.get<Receiver>(receiverRef))!

const github = (body = '{}', event = 'push') => ({
  'X-GitHub-Event': event,
  'X-Hub-Signature-256': signed(body),
})

test('listens at a path of the form that Flux has', () =>
  within({}, async ({ hub, eventsOf, path }) => {
    assert.match(path, /^\/hook\/[0-9a-f]{64}$/)
    assert.deepEqual(shown(await hub.get(receiverRef)), [
      `Ready=True Succeeded: Receiver initialized for path: ${path}`,
    ])
    assert.deepEqual(await eventsOf(receiverRef), ['Normal Succeeded 1x: Reconciliation finished, next run in 10m0s'])
  }))

test('follows its Secret at once, whatever the labels of that: an old token is good for nothing any more', () =>
  within({}, async ({ hub, advance, path, send }) => {
    assert.equal(await send({ headers: github() }), '200 app')
    await hub.patch(
      { group: '', kind: 'Secret', namespace: 'default', name: 'token' },
      { type: 'merge', patch: secret('another') },
      author,
    )
    await advance(1_000)
    assert.notEqual((await receiverOf(hub)).status?.webhookPath, path)
    assert.equal(await send({ headers: github() }), '404 app')
  }))

test('responds without reading a Secret: the verification data is stored beside the Receiver, encrypted, and deleted with either', () =>
  within({}, async ({ hub, ports, send, reads, settle }) => {
    assert.equal(await send({ headers: github() }), '200 app')
    assert.deepEqual(
      reads().filter(read => read.includes('Secret')),
      [],
    )
    const kept = async () =>
      (await ports.objects.list({ group: 'webhook.keelson.dev', kind: 'ReceiverSecret' })).items.map(({ body }) => body)
    const [body = ''] = await kept()
    assert.equal(Buffer.from(body, 'base64').includes(token), false)
    await hub.delete({ group: '', kind: 'Secret', namespace: 'default', name: 'token' }, {})
    await settle()
    assert.deepEqual(await kept(), [])
    await hub.create(secret(token), author)
    await settle()
    assert.equal((await kept()).length, 1)
    await hub.delete(receiverRef, {})
    await settle()
    assert.deepEqual(await kept(), [])
  }))

test('moves to another path with another token, and is not ready without one', () =>
  within({}, async ({ hub, settle, advance, path, send }) => {
    const secretRef = { group: '', kind: 'Secret', namespace: 'default', name: 'token' }
    const labels = { 'reconcile.fluxcd.io/watch': 'Enabled' }
    const { data } = secret('another')
    await hub.patch(secretRef, { type: 'merge', patch: { metadata: { labels }, data } }, author)
    await advance(1_000)
    const moved = (await hub.get<Receiver>(receiverRef))?.status?.webhookPath
    assert.notEqual(moved, path)
    assert.equal(await send({ headers: github() }), '404')

    await hub.delete(secretRef, {})
    await settle()
    await advance(1_000)
    const stored = await hub.get<Receiver>(receiverRef)
    assert.equal(stored?.status?.webhookPath, undefined)
    assert.deepEqual(shown(stored), [
      'Reconciling=True ProgressingWithRetry: Reconciliation in progress',
      `Ready=False TokenNotFound: unable to read token from secret 'default/token' error: Secret "token" not found`,
    ])
  }))

test('a Receiver whose status claims the path of another one gets none of its calls', async () => {
  await within({}, async ({ hub, path, send, settle }) => {
    const forged = { apiVersion: 'notification.toolkit.fluxcd.io/v1', kind: 'Receiver' }
    const spec = { type: 'generic', secretRef: { name: 'own' }, resources: [{ kind: 'GitRepository', name: 'far' }] }
    await hub.create({ ...secret('own'), metadata: { name: 'own', namespace: 'other' } }, author)
    await hub.create({ ...forged, metadata: { name: 'a', namespace: 'other' }, spec } as KubernetesObject, author)
    await settle()
    const ref = { ...receiverRef, namespace: 'other', name: 'a' }
    await hub.patch(
      ref,
      { type: 'merge', patch: { status: { webhookPath: path } } },
      { ...author, subresource: 'status' },
    )
    assert.equal(await send({ headers: github() }), '200 app')
  })
})

test('a path has a random part, however weak the token, and a new Receiver of the name another one', () =>
  within({}, async ({ hub, path, settle }) => {
    const first = await receiverOf(hub)
    assert.notEqual(path, webhookPath(first, token))
    await hub.delete(receiverRef, {})
    await settle()
    const { apiVersion, kind, spec } = first
    await hub.create(
      { apiVersion, kind, metadata: { name: 'hook', namespace: 'default' }, spec } as KubernetesObject,
      author,
    )
    await settle()
    assert.notEqual((await receiverOf(hub)).status?.webhookPath, path)
  }))

test("keeps Flux's path of a Receiver that has it, until its token changes", async () => {
  await within({ suspend: true }, async ({ hub, send, settle }) => {
    const flux = webhookPath(await receiverOf(hub), token)
    // sha256 of 'a shared secret' + 'hook' + 'default'
    assert.equal(flux, '/hook/d26237a463129fc17765c040703547975d9b598fdedd5241e764d1338a0330f7')
    const status = { ...author, subresource: 'status' as const }
    await hub.patch(receiverRef, { type: 'merge', patch: { status: { webhookPath: flux } } }, status)
    await hub.patch(receiverRef, { type: 'merge', patch: { spec: { suspend: false } } }, author)
    await settle()
    assert.equal((await receiverOf(hub)).status?.webhookPath, flux)
    assert.equal(await send({ headers: github(), path: flux }), '200 app')
    await hub.patch(
      { group: '', kind: 'Secret', namespace: 'default', name: 'token' },
      { type: 'merge', patch: secret('another') },
      author,
    )
    const again = { metadata: { annotations: { [requestedAtAnnotation]: 'now' } } }
    await hub.patch(receiverRef, { type: 'merge', patch: again }, author)
    await settle()
    const changed = await receiverOf(hub)
    assert.notEqual(changed.status?.webhookPath, flux)
    assert.notEqual(changed.status?.webhookPath, webhookPath(changed, 'another'))
  })
})

test('a Receiver without a token listens at a path that nobody can compute, and keeps it', async () => {
  const validations = [{ expression: 'true', message: 'anybody' }]
  const oidc = {
    type: 'generic-oidc',
    secretRef: undefined,
    oidcProviders: [{ issuerURL: 'https://i.example', validations }],
  }
  await within(oidc, async ({ hub, path, advance, send }) => {
    const computed = webhookPath({ metadata: { name: 'hook', namespace: 'default' } } as Receiver, '')
    assert.match(path, /^\/hook\/[0-9a-f]{64}$/)
    assert.notEqual(path, computed)
    await hub.patch(
      receiverRef,
      { type: 'merge', patch: { status: { webhookPath: computed } } },
      { ...author, subresource: 'status' },
    )
    assert.equal(await send({ path: computed }), '404')
    await advance(11 * 60_000)
    assert.equal((await hub.get<Receiver>(receiverRef))?.status?.webhookPath, path)
  })
})
