import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { eventually } from '../../bed/eventually.ts'
import type { AttackClass, Attempt } from '../attack.ts'
import { type Manifest, manifest, plainSpecs } from '../manifests.ts'
import { type AttackWorld, verdictOf, victimSource } from '../world.ts'
import { type LocalField, localFields } from './local-fields.ts'

const tricks = ['kept', '../victim/kept', 'victim/kept']
const missing = 'missing-for-sure'

/** What an object that refers to a name tells: that the API refused it, or its condition Ready without the names. */
const told = async (world: AttackWorld, { kind, fill, annotations }: LocalField, name: string): Promise<string> => {
  const spec = fill(name, world)
  const object = manifest(kind, world.freshName(), { spec }, { ...(annotations && { annotations: annotations(name) }) })
  const created = await world.mallory.request('POST', object.collection, object.object)
  if (created.status !== 201) return refused
  const { status, reason, message } = await verdictOf(world.mallory, object.path)
  await world.mallory.request('DELETE', object.path)
  assert.notEqual(status, 'True', message)
  assert.doesNotMatch(message, new RegExp(world.secret))
  if (isNoName.test(message)) return refused
  return [name, name.replace('kept', 'app'), object.object.metadata.name].reduce(
    (text, each) => text.replaceAll(each, '<name>'),
    `${reason}: ${message}`.replace('ConfigMap.v1.[noGrp]/kept', 'own object'),
  )
}

const refused = 'refused, whatever exists'
/** What the annotation of a ResourceSet can't name has no name. */
const isNoName = /annotation resourceset\.keelson\.dev\/kubeConfig: .* is not \[Secret\/\]NAME/

const ownSource = async (world: AttackWorld): Promise<void> => {
  const spec = plainSpecs(world.malloryRepo.url).GitRepository
  const { collection, path, object } = manifest('GitRepository', 'for-local-references', { spec })
  await world.mallory.request('POST', collection, object)
  await verdictOf(world.mallory, path)
}

const leads = (field: LocalField, name: string): Attempt => ({
  title: `${field.kind}: ${field.field} that names ${name} reads as one that names nothing`,
  async run(world) {
    await ownSource(world)
    const [asked, absent] = await Promise.all([told(world, field, name), told(world, field, missing)])
    if (asked !== refused) assert.equal(asked, absent)
  },
})

// ---- notifications ----

/** A Provider of mallory's, an Alert of what mallory asks for, and what the Provider was told. */
const listening = async (
  world: AttackWorld,
  spec: object,
  eventSources: readonly object[],
  during: (alert: Manifest, toldSoFar: () => number) => Promise<void>,
): Promise<number> => {
  let calls = 0
  const server = createServer((request, response) => {
    calls++
    request.resume()
    response.end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const name = world.freshName()
  const receiver = manifest('Provider', name, { spec: { type: 'generic', address, ...spec } })
  const alert = manifest('Alert', name, { spec: { providerRef: { name }, eventSources } })
  for (const { collection, object } of [receiver, alert])
    assert.equal((await world.mallory.request('POST', collection, object)).status, 201)
  try {
    await during(alert, () => calls)
  } finally {
    for (const { path } of [alert, receiver]) await world.mallory.request('DELETE', path)
    server.close()
  }
  return calls
}

/** What the hub says on an Alert of what it could not deliver. */
const complaint = (world: AttackWorld, { object }: Manifest): Promise<string> =>
  eventually(async () => {
    const { body } = await world.mallory.request('GET', '/api/v1/namespaces/mallory/events')
    const { items } = body as { readonly items: readonly (KubernetesObject & { readonly message: string })[] }
    const own = items.find(
      ({ involvedObject, reason }) =>
        (involvedObject as { readonly name: string }).name === object.metadata.name &&
        reason === 'NotificationDispatchFailed',
    )
    return own?.message ?? null
  })

/** Has an event told: of a source of mallory's that is made for it. */
const makeNews = async (world: AttackWorld): Promise<Manifest> => {
  const own = manifest('GitRepository', world.freshName(), { spec: plainSpecs(world.malloryRepo.url).GitRepository })
  await world.mallory.request('POST', own.collection, own.object)
  await verdictOf(world.mallory, own.path)
  return own
}

const everyRepository = [{ kind: 'GitRepository', name: '*' }]

const providerLeads = (field: string, name: string): Attempt => ({
  title: `Provider: spec.${field} that names ${name} reads as one that names nothing`,
  async run(world) {
    const said = async (named: string): Promise<string> => {
      let message = ''
      const calls = await listening(world, { [field]: { name: named } }, everyRepository, async alert => {
        const news = await makeNews(world)
        message = (await complaint(world, alert)).replaceAll(news.object.metadata.name, '<source>')
        await world.mallory.request('DELETE', news.path)
      })
      assert.equal(calls, 0)
      return message.replaceAll(named, '<name>')
    }
    assert.equal(await said(name), await said(missing))
  },
})

const alertsOf = (title: string, eventSources: readonly object[]): Attempt => ({
  title: `Alert: spec.eventSources[] with ${title} reveal nothing of the victim`,
  async run(world) {
    const calls = await listening(world, {}, eventSources, async () => {
      const annotations = { 'reconcile.fluxcd.io/requestedAt': world.freshName() }
      await world.admin.patch(victimSource, { metadata: { annotations } })
      await verdictOf(world.admin, victimSource)
      await sleep(300)
    })
    assert.equal(calls, 0)
  },
})

/** Without this the attempts above would hold because nothing is ever told. */
const alertsOfOwn: Attempt = {
  title: 'Alert: events of the own namespace are sent',
  async run(world) {
    const calls = await listening(world, {}, everyRepository, async (_, toldSoFar) => {
      const news = await makeNews(world)
      await eventually(() => assert.notEqual(toldSoFar(), 0))
      await world.mallory.request('DELETE', news.path)
    })
    assert.notEqual(calls, 0)
  },
}

const alertProvider: Attempt = {
  title: 'Alert: spec.providerRef that names a Provider of the victim sends nothing through it',
  async run(world) {
    const { admin, freshName } = world
    let calls = 0
    const server = createServer((_, response) => {
      calls++
      response.end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const victims = manifest('Provider', freshName(), { spec: { type: 'generic', address } }, { namespace: 'victim' })
    await admin.request('POST', victims.collection, victims.object)
    const { name } = victims.object.metadata
    for (const named of [name, `../victim/${name}`, `victim/${name}`]) {
      const alert = manifest('Alert', freshName(), {
        spec: { providerRef: { name: named }, eventSources: everyRepository },
      })
      const { status } = await world.mallory.request('POST', alert.collection, alert.object)
      if (status !== 201) continue
      const news = await makeNews(world)
      assert.match(await complaint(world, alert), /not found/)
      for (const { path } of [alert, news]) await world.mallory.request('DELETE', path)
    }
    await admin.request('DELETE', victims.path)
    server.close()
    assert.equal(calls, 0)
  },
}

const receives = (title: string, resource: object): Attempt => ({
  title: `Receiver: spec.resources[] with ${title} set nothing of the victim off`,
  async run({ admin, hub, mallory, freshName }) {
    const name = freshName()
    const token = manifest('Secret', name, { stringData: { token: 'mine' } })
    const receiver = manifest('Receiver', name, {
      spec: { type: 'generic', secretRef: { name }, resources: [resource] },
    })
    await mallory.request('POST', token.collection, token.object)
    const { status } = await mallory.request('POST', receiver.collection, receiver.object)
    if (status === 201) {
      await verdictOf(mallory, receiver.path)
      const { body } = await mallory.request('GET', receiver.path)
      const { webhookPath } = (body as { readonly status: { readonly webhookPath: string } }).status
      const before = (await admin.request('GET', victimSource)).body as KubernetesObject
      const answer = await fetch(`${hub.edge}${webhookPath}`, { method: 'POST', body: '{}' })
      assert.doesNotMatch(await answer.text(), /victim|kept/)
      const after = (await admin.request('GET', victimSource)).body as KubernetesObject
      assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion)
      await mallory.request('DELETE', receiver.path)
    }
    await mallory.request('DELETE', token.path)
  },
})

const victims = { kind: 'GitRepository', namespace: 'victim' }

/** A name in a spec leads to an object of the own namespace, or nowhere. */
export const localReferences: AttackClass = {
  name: 'local-references',
  rule: 'A name without a namespace stays at home, whatever it is',
  attempts: [
    ...localFields.flatMap(field => (field.names ?? tricks).map(name => leads(field, name))),
    ...['secretRef', 'certSecretRef', 'proxySecretRef'].flatMap(field =>
      ['kept', '../victim/kept'].map(name => providerLeads(field, name)),
    ),
    alertsOfOwn,
    alertsOf('the namespace of the victim', [{ ...victims, name: 'app' }]),
    alertsOf('the namespace of the victim, all names', [{ ...victims, name: '*' }]),
    alertsOf('a namespace *', [{ kind: 'GitRepository', name: '*', namespace: '*' }]),
    alertsOf('labels in the namespace of the victim', [{ ...victims, name: '*', matchLabels: {} }]),
    alertProvider,
    receives('the namespace of the victim', { ...victims, name: 'app' }),
    receives('the namespace of the victim, by label', { ...victims, name: '*', matchLabels: {} }),
    receives('a name that climbs', { kind: 'GitRepository', name: '../victim/app' }),
    receives('a Secret of the victim', { apiVersion: 'v1', kind: 'Secret', namespace: 'victim', name: 'kept' }),
    receives('a namespace *', { kind: 'GitRepository', name: 'app', namespace: '*' }),
  ],
}
