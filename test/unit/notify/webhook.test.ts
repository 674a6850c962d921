import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { requestedAtAnnotation } from '../../../lib/kinds/flux.ts'
import type { KubernetesObject, ObjectRef } from '../../../lib/kinds/object.ts'
import type { Receiver } from '../../../lib/kinds/receiver.ts'
import { webhookHandler } from '../../../lib/notify/webhook.ts'
import { receiverReconciler } from '../../../lib/reconcile/receiver/receiver.ts'
import type { Reconciler } from '../../../lib/reconcile/runtime/reconciler.ts'
import type { World } from '../reconcile/world.ts'
import { openWorld, shown } from '../reconcile/world.ts'

const author = { fieldManager: 'someone' }
const token = 'a shared secret'
const receiverRef: ObjectRef = {
  group: 'notification.toolkit.fluxcd.io',
  kind: 'Receiver',
  namespace: 'default',
  name: 'hook',
}

const repository = (name: string, labels = {}, namespace = 'default'): KubernetesObject => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
  metadata: { name, namespace, labels },
  spec: { url: 'https://git.example.com/app', interval: '10m', suspend: true },
})

const secret = (value: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'token', namespace: 'default' },
  data: { token: Buffer.from(value).toString('base64') },
})

const receiver = (spec: object): KubernetesObject => ({
  apiVersion: 'notification.toolkit.fluxcd.io/v1',
  kind: 'Receiver',
  metadata: { name: 'hook', namespace: 'default' },
  spec: { type: 'github', secretRef: { name: 'token' }, resources: [{ kind: 'GitRepository', name: 'app' }], ...spec },
})

interface Scene extends World {
  readonly path: string
  /** Sends a request; resolves to the status and to the names of the repositories that were asked to reconcile. */
  send(request: {
    readonly headers?: Record<string, string>
    readonly body?: string
    readonly path?: string
  }): Promise<string>
}

/** A hub with a Receiver, three repositories and the webhook's handler. */
const within = async (spec: object, story: (scene: Scene) => Promise<void>, noCrossNamespaceRefs = false) => {
  const world = await openWorld(ports => [receiverReconciler(ports) as Reconciler<KubernetesObject>])
  try {
    const { hub } = world
    await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } }, author)
    const repositories = [repository('app'), repository('labelled', { team: 'a' }), repository('far', {}, 'other')]
    for (const object of [...repositories, secret(token), receiver(spec)]) await hub.create(object, author)
    await world.settle()
    const path = (await hub.get<Receiver>(receiverRef))?.status?.webhookPath ?? ''
    const handle = webhookHandler(world.ports, { noCrossNamespaceRefs })
    await story({
      ...world,
      path,
      async send({ headers = {}, body = '{}', path: to = path }) {
        const { status } = await handle(new Request(`http://hub${to}`, { method: 'POST', headers, body }))
        const { items } = await hub.list<KubernetesObject>({ group: 'source.toolkit.fluxcd.io', kind: 'GitRepository' })
        const asked = items.filter(({ metadata }) => metadata.annotations?.[requestedAtAnnotation])
        return [status, ...asked.map(({ metadata }) => metadata.name)].join(' ')
      },
    })
  } finally {
    await world.close()
  }
}

const signed = (body: string, algorithm = 'sha256', secret = token): string =>
  `${algorithm}=${createHmac(algorithm, secret).update(body).digest('hex')}`
const github = (body = '{}', event = 'push') => ({
  'X-GitHub-Event': event,
  'X-Hub-Signature-256': signed(body),
})

test('listens at the path that Flux derives from token, name and namespace', () =>
  within({}, async ({ hub, eventsOf, path }) => {
    // sha256 of 'a shared secret' + 'hook' + 'default'
    assert.equal(path, '/hook/d26237a463129fc17765c040703547975d9b598fdedd5241e764d1338a0330f7')
    assert.deepEqual(shown(await hub.get(receiverRef)), [
      `Ready=True Succeeded: Receiver initialized for path: ${path}`,
    ])
    assert.deepEqual(await eventsOf(receiverRef), ['Normal Succeeded 1x: Reconciliation finished, next run in 10m0s'])
  }))

test('asks the named objects to reconcile when GitHub pushes', () =>
  within({ events: ['Push', 'ping'] }, async ({ send }) => {
    assert.equal(await send({ headers: github() }), '200 app')
  }))

test('refuses what is not signed with the token, and says nothing of it to objects', () =>
  within({}, async ({ send }) => {
    assert.equal(await send({}), '400')
    assert.equal(await send({ headers: github(), body: '{"ref":"forged"}' }), '400')
    assert.equal(await send({ headers: { 'X-Hub-Signature-256': signed('{}', 'sha256', 'guess') } }), '400')
    assert.equal(await send({ headers: { 'X-Hub-Signature-256': 'sha256=' } }), '400')
    assert.equal(await send({ headers: { 'X-Hub-Signature-256': signed('{}', 'sha1') } }), '400')
  }))

test('refuses events that are not asked for, and answers a ping without doing anything', () =>
  within({ events: ['push'] }, async ({ send }) => {
    assert.equal(await send({ headers: github('{}', 'issues') }), '400')
    assert.equal(await send({ headers: github('{}', 'ping') }), '200')
  }))

test('takes any of the generic signatures', () =>
  within({ type: 'generic-hmac' }, async ({ send }) => {
    assert.equal(await send({ headers: { 'X-Signature': signed('{}', 'md5') } }), '400')
    for (const algorithm of ['sha1', 'sha256', 'sha512']) {
      assert.equal(await send({ headers: { 'X-Signature': signed('{}', algorithm) } }), '200 app')
    }
  }))

test('asks all objects with the labels, in other namespaces too unless that is forbidden', async () => {
  const resources = [
    { kind: 'GitRepository', name: '*', matchLabels: { team: 'a' } },
    { kind: 'GitRepository', name: 'far', namespace: 'other' },
  ]
  await within({ resources }, async ({ send }) => assert.equal(await send({ headers: github() }), '200 labelled far'))
  await within({ resources }, async ({ send }) => assert.equal(await send({ headers: github() }), '500 labelled'), true)
})

test('tells when an object is missing, after asking the others', () =>
  within(
    {
      resources: [
        { kind: 'GitRepository', name: 'gone' },
        { kind: 'GitRepository', name: 'app' },
      ],
    },
    async ({ send }) => assert.equal(await send({ headers: github() }), '500 app'),
  ))

test('knows no other paths, refuses huge bodies, and rests while suspended', () =>
  within({}, async ({ send, hub }) => {
    assert.equal(await send({ path: '/hook/0000' }), '404')
    assert.equal(await send({ headers: github(), body: 'x'.repeat(3 * 1024 * 1024 + 1) }), '413')
    await hub.patch(receiverRef, { type: 'merge', patch: { spec: { suspend: true } } }, author)
    assert.equal(await send({ headers: github() }), '503')
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

test('stalls on what it cannot honour, and names the field', () =>
  within({ type: 'gitlab' }, async ({ hub }) => {
    assert.deepEqual(shown(await hub.get(receiverRef)), [
      "Stalled=True NotSupported: spec.type 'gitlab': not supported by Keelson yet",
      "Ready=False NotSupported: spec.type 'gitlab': not supported by Keelson yet",
    ])
  }))
