import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { alert, app, commit, failed, provider, type Scene, secret, within } from './alerting-scene.ts'

const generic = async ({ create, url }: Scene, spec: object = {}): Promise<void> => {
  await create(provider('generic', { type: 'generic', address: `${url}/hook` }))
  await create(alert('generic', spec))
}

const messagesIn = ({ received }: Scene): readonly string[] => received.map(({ body }) => JSON.parse(body).message)

test('reports an event as notification-controller forwards it: short keys, no checksums, nothing of other groups', () =>
  within(async scene => {
    await generic(scene, { eventMetadata: { cluster: 'one', env: 'of the Alert' }, summary: 'the app' })
    await scene.happens()
    const [{ method, path, headers, body } = assert.fail('nothing was sent')] = scene.received
    assert.deepEqual([method, path, headers['gotk-component']], ['POST', '/hook', 'kustomize-controller'])
    assert.deepEqual(JSON.parse(body), {
      involvedObject: {
        apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
        kind: 'Kustomization',
        namespace: 'default',
        name: 'app',
        uid: app.metadata.uid,
        resourceVersion: '7',
      },
      severity: 'info',
      timestamp: '2026-01-01T00:00:00Z',
      message: 'Reconciliation finished in 1s, next run in 10m0s',
      reason: 'ReconciliationSucceeded',
      metadata: { env: 'of the Alert', cluster: 'one', summary: 'the app', revision: `main@sha1:${commit}` },
      reportingController: 'kustomize-controller',
    })
  }))

test('signs with the token when the Provider says so, and sends its headers', () =>
  within(async scene => {
    await scene.create(secret('key', { token: 'a shared key', headers: 'X-Tenant: a' }))
    const spec = { type: 'generic-hmac', address: scene.url, secretRef: { name: 'key' } }
    await scene.create(provider('signed', spec))
    await scene.create(alert('signed'))
    await scene.happens()
    const [{ headers, body } = assert.fail('nothing was sent')] = scene.received
    assert.equal(headers['x-signature'], `sha256=${createHmac('sha256', 'a shared key').update(body).digest('hex')}`)
    assert.equal(headers['x-tenant'], 'a')
  }))

test('an Alert sends events of the objects, severities and messages that it names, and no others', async () => {
  const another: KubernetesObject = { ...app, metadata: { ...app.metadata, name: 'another', labels: {} } }
  const elsewhere: KubernetesObject = { ...app, metadata: { ...app.metadata, namespace: 'other' } }
  const source: KubernetesObject = { ...app, apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository' }
  const told = async (spec: object, settings = {}): Promise<readonly string[]> => {
    const found: string[] = []
    await within(async scene => {
      await generic(scene, spec)
      for (const object of [app, another, elsewhere, source]) {
        await scene.happens({}, object)
        await scene.happens(failed, object)
        await scene.happens({ message: 'for those who look', quiet: true }, object)
      }
      for (const { body } of scene.received) {
        const { involvedObject, severity } = JSON.parse(body)
        found.push(`${severity} ${involvedObject.kind}/${involvedObject.namespace}/${involvedObject.name}`)
      }
    }, settings)
    return found
  }
  const both = (name: string) => [`info Kustomization/${name}`, `error Kustomization/${name}`]
  const kustomizations = (source: object) => ({ eventSources: [{ kind: 'Kustomization', name: '*', ...source }] })
  assert.deepEqual(await told({}), [...both('default/app'), ...both('default/another')])
  assert.deepEqual(await told({ eventSeverity: 'error' }), [both('default/app')[1], both('default/another')[1]])
  assert.deepEqual(await told(kustomizations({ name: 'app' })), both('default/app'))
  assert.deepEqual(await told(kustomizations({ matchLabels: { team: 'a' } })), both('default/app'))
  assert.deepEqual(await told(kustomizations({ namespace: 'other' })), both('other/app'))
  assert.deepEqual(await told(kustomizations({ namespace: 'other' }), { noCrossNamespaceRefs: true }), [])
  assert.deepEqual(await told({ inclusionList: ['^health.*fail'], ...kustomizations({ name: 'app' }) }), [
    both('default/app')[1],
  ])
  assert.deepEqual(await told({ exclusionList: ['not ready$'], ...kustomizations({ name: 'app' }) }), [
    both('default/app')[0],
  ])
  assert.deepEqual(await told({ suspend: true }), [])
})

test('UI-07 an Alert sends what users do only if its annotation says so, whatever its severity and pacing', async () => {
  const by = (reason: string) => ({ severity: 'info', reason, message: `jane ${reason}`, isAction: true }) as const
  const told = async (annotations: Record<string, string>, spec: object = {}): Promise<readonly string[]> => {
    let found: readonly string[] = []
    await within(async scene => {
      const { metadata, ...rest } = alert('generic', { eventSeverity: 'error', ...spec })
      await scene.create(provider('generic', { type: 'generic', address: `${scene.url}/hook` }))
      await scene.create({ ...rest, metadata: { ...metadata, annotations } })
      for (const reason of ['Suspended', 'Resumed']) await scene.happens(by(reason))
      await scene.happens(by('Suspended'), { ...app, kind: 'HelmRelease' })
      found = messagesIn(scene)
    })
    return found
  }
  const actions = 'notification.keelson.dev/actions'
  assert.deepEqual(await told({}, { eventSeverity: 'info' }), [])
  assert.deepEqual(await told({ [actions]: '*' }), ['jane Suspended', 'jane Resumed'])
  assert.deepEqual(await told({ [actions]: 'Approved, Resumed' }), ['jane Resumed'])
  const paced = { [actions]: '*', 'notification.keelson.dev/only': 'StateChanges' }
  assert.deepEqual(await told(paced, { exclusionList: ['Resumed$'] }), ['jane Suspended'])
  assert.deepEqual(await told({ [actions]: '*' }, { suspend: true }), [])
})

test('an invalid expression is reported on the Alert, and the others count', () =>
  within(async scene => {
    await generic(scene, { exclusionList: ['(', 'never'] })
    await scene.happens()
    assert.equal(scene.received.length, 1)
    assert.deepEqual(await scene.complaints(), ['Warning InvalidConfig: failed to compile exclusion regex: ('])
  }))

test('the same event is sent once in five minutes', () =>
  within(async scene => {
    await generic(scene)
    await scene.happens()
    await scene.happens()
    await scene.pass(4 * 60_000)
    await scene.happens()
    assert.equal(scene.received.length, 1)
    await scene.happens({ metadata: { 'kustomize.toolkit.fluxcd.io/revision': 'main@sha1:another' } })
    assert.equal(scene.received.length, 2)
    await scene.pass(2 * 60_000)
    await scene.happens()
    assert.equal(scene.received.length, 3)
  }))

test('what a Provider does not take is tried again, and keeps nobody else waiting', () =>
  within(async scene => {
    const { create, url, received } = scene
    scene.answer(({ path }) => (path === '/down' ? { status: 503, json: 'not now' } : undefined))
    await create(provider('down', { type: 'generic', address: `${url}/down` }))
    await create(provider('up', { type: 'generic', address: `${url}/up` }))
    for (const name of ['down', 'up']) await create(alert(name))
    await scene.happens()
    assert.deepEqual(received.map(({ path }) => path).sort(), ['/down', '/up'])
    await scene.pass(11_000) // after 2 and 8 more seconds
    assert.equal(received.filter(({ path }) => path === '/down').length, 3)
    scene.answer(() => undefined)
    await scene.pass(30 * 60_000)
    assert.equal(received.filter(({ path }) => path === '/down').length, 4)
    assert.equal(received.filter(({ path }) => path === '/up').length, 1)
    assert.deepEqual(await scene.complaints(), [
      'Warning NotificationDispatchFailed: failed to send notification for Kustomization/default/app: request failed with status code 503: 9 bytes of application/json',
    ])
  }))

test('pauses deliveries to a Provider for as long as it requests, and gives up after an hour', () =>
  within(async scene => {
    scene.answer(() => ({ status: 429, headers: { 'retry-after': '600' } }))
    await generic(scene)
    await scene.happens()
    await scene.pass(599_000)
    assert.equal(scene.received.length, 1)
    await scene.pass(1_000)
    assert.equal(scene.received.length, 2)
    await scene.pass(2 * 60 * 60_000)
    assert.equal(scene.received.length, 7)
  }))

test('a message that got lost is found by the sweep', () =>
  within(async scene => {
    scene.answer(() => ({ status: 500 }))
    await generic(scene)
    await scene.happens()
    scene.answer(() => undefined)
    await scene.loseMessages()
    assert.equal(scene.received.length, 1) // not before its time
    await scene.pass(10_000)
    await scene.loseMessages()
    assert.deepEqual(messagesIn(scene).length, 2)
  }))

test('no secret of a Provider gets into what is said of its failure', () =>
  within(async scene => {
    scene.answer(({ headers, path }) => ({ status: 400, json: { message: `${headers.authorization} at ${path}` } }))
    await scene.create(secret('slack', { token: 'xoxb-secret', address: `${scene.url}/services/T0/B0/hook-secret` }))
    await scene.create(provider('slack', { type: 'slack', secretRef: { name: 'slack' } }))
    await scene.create(alert('slack'))
    await scene.happens()
    const [complaint = ''] = await scene.complaints()
    assert.match(complaint, /request failed with status code 400: Bearer \*\*\*\*\*/)
    assert.doesNotMatch(complaint, /xoxb-secret/)
  }))

test('a Provider that is missing or unusable is reported on the Alert, and not tried again', () =>
  within(async scene => {
    const { create } = scene
    await create(provider('addressless', { type: 'slack' }))
    await create(provider('secretless', { type: 'slack', secretRef: { name: 'nowhere' } }))
    await create(provider('queue', { type: 'nats', address: 'nats://127.0.0.1' }))
    await create(provider('resting', { type: 'slack', suspend: true }))
    await create(provider('as', { type: 'slack', serviceAccountName: 'somebody' }))
    for (const name of ['missing', 'addressless', 'secretless', 'queue', 'resting', 'as']) await create(alert(name))
    await scene.happens()
    const about = 'Warning NotificationDispatchFailed: failed to send notification for Kustomization/default/app: '
    assert.deepEqual((await scene.complaints()).toSorted(), [
      `${about}NATS subject (channel) cannot be empty`,
      `${about}a provider of type slack requires an address`,
      `${about}failed to get secret 'default/nowhere': secrets "nowhere" not found`,
      `${about}failed to read provider: providers.notification.toolkit.fluxcd.io "missing" not found`,
      `${about}spec.serviceAccountName is not supported: leave it out, and the identity of the hub itself is used`,
    ])
    await scene.pass(30 * 60_000)
    assert.equal((await scene.complaints()).length, 5)
  }))

test("links to the object's page where the console has an address, unless the Alert names another", async () => {
  const settings = { consoleUrl: 'https://keelson.example.com' }
  const linkOf = async (spec?: object): Promise<unknown> => {
    let link: unknown
    await within(async scene => {
      await generic(scene, spec)
      await scene.happens()
      link = JSON.parse(scene.received[0]!.body).metadata.console
    }, settings)
    return link
  }
  assert.equal(await linkOf(), 'https://keelson.example.com/objects/Kustomization/default/app')
  assert.equal(await linkOf({ eventMetadata: { console: 'https://other' } }), 'https://other')
})
