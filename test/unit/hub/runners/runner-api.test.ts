/** What a runner may do, and what a stolen one, a replayed request and a second one may not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { runnerLeaseMs } from '../../../../lib/hub/runners/protocol.ts'
import { joinTokenMs, runnerSecretRef, secretWithToken } from '../../../../lib/hub/runners/runner-secret.ts'
import { by } from '../store/world.ts'
import { digest, runnerWorld, unitOf } from './runner-world.ts'

const aurora = 'ships/aurora'
const secretRef = runnerSecretRef({ namespace: 'ships', name: 'aurora' })

test('a join token enrols one runner, once, for its own Cluster, within an hour', async () => {
  const { hub, caller, clock } = await runnerWorld()
  await hub.create(secretWithToken(secretRef, 'good', clock.now()), by('test'))
  const [one, other] = [caller(), caller()]
  assert.equal((await one.enrol(aurora, 'bad')).status, 401)
  assert.equal((await one.enrol('shops/berlin', 'good')).status, 401)
  const unsigned = await other.send(aurora, 'enrol', { cluster: aurora, token: 'good', publicKey: one.publicKey })
  assert.equal(unsigned.status, 401, 'the key of another process')
  assert.equal((await one.enrol(aurora, 'good')).status, 200)
  assert.equal((await other.enrol(aurora, 'good')).status, 401, 'the token is spent')
  assert.equal((await one.send(aurora, 'sync', {})).status, 200)
  assert.equal((await other.send(aurora, 'sync', {})).status, 401)

  await hub.delete(secretRef, {})
  assert.equal((await one.send(aurora, 'sync', {})).status, 401, 'revoked')
  await hub.create(secretWithToken(secretRef, 'late', clock.now()), by('test'))
  await clock.advance(joinTokenMs + 1)
  assert.equal((await other.enrol(aurora, 'late')).status, 401, 'expired')
})

test('the Secret of a runner holds neither the token nor a private key', async () => {
  const { hub, clock, caller } = await runnerWorld()
  const one = caller()
  const textIn = async (): Promise<string> => {
    const found = await hub.get<KubernetesObject & { readonly data: Readonly<Record<string, string>> }>(secretRef)
    return Object.entries(found!.data)
      .map(([key, value]) => `${key}=${Buffer.from(value, 'base64').toString()}`)
      .join('\n')
  }
  await hub.create(secretWithToken(secretRef, 'planted-token', clock.now()), by('test'))
  assert.doesNotMatch(await textIn(), /planted-token/)
  await one.enrol(aurora, 'planted-token')
  assert.equal(await textIn(), `public-key=${one.publicKey}`)
})

test('a runner gets its units with what they name, and nothing else', async () => {
  const world = await runnerWorld()
  const { sync } = await world.runner(aurora)
  const named = [...sync.copy!.own, ...sync.copy!.others].map(({ kind, metadata }) => `${kind}/${metadata.name}`)
  assert.deepEqual(named.sort(), [
    'Cluster/aurora',
    'ConfigMap/aurora',
    'GitRepository/app',
    'Kustomization/app',
    'Namespace/ships',
    'Secret/values',
  ])
  const text = JSON.stringify(sync.copy)
  assert.match(text, new RegExp(Buffer.from('color-of-aurora').toString('base64')))
  assert.doesNotMatch(text, /berlin|shops|hidden/)
  assert.doesNotMatch(text, new RegExp(Buffer.from('unused-of').toString('base64').slice(0, 10)))
  assert.equal(sync.hub, '1.2.3')
  const unit = sync.copy!.own.find(({ kind }) => kind === 'Kustomization')
  assert.deepEqual(unit?.metadata.finalizers, ['finalizers.fluxcd.io'], 'it is handed out with its finalizer only')
})

test('a unit that only reads the ConfigMap of the Cluster, or names it in an annotation, is none of the runner', async () => {
  const world = await runnerWorld()
  const unit = (name: string, annotations: Readonly<Record<string, string>>, postBuild: object) => ({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { namespace: 'ships', name, annotations },
    spec: { interval: '1h', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' }, postBuild },
  })
  const reading = { substituteFrom: [{ kind: 'ConfigMap', name: 'aurora' }] }
  await world.hub.create(unit('reads', {}, reading), by('test'))
  await world.hub.create(unit('annotated', { 'keelson.dev/target': 'ConfigMap/aurora' }, {}), by('test'))
  const { sync } = await world.runner(aurora)
  assert.deepEqual(
    sync.copy!.own.map(({ kind, metadata }) => `${kind}/${metadata.name}`),
    ['Cluster/aurora', 'Kustomization/app'],
  )
})

test('sources of other namespaces stay there if references across namespaces are refused', async () => {
  const shared = async (noCrossNamespaceRefs: boolean) => {
    const world = await runnerWorld({ noCrossNamespaceRefs })
    const patch = { spec: { sourceRef: { kind: 'GitRepository', name: 'app', namespace: 'shops' } } }
    await world.hub.patch(unitOf('ships'), { type: 'merge', patch }, by('test'))
    const { sync } = await world.runner(aurora)
    return sync.copy!.others.filter(({ kind }) => kind === 'GitRepository').map(({ metadata }) => metadata.namespace)
  }
  assert.deepEqual(await shared(false), ['shops'])
  assert.deepEqual(await shared(true), [])
})

test('the credentials of a runner open no other cluster, and no object of others', async () => {
  const world = await runnerWorld()
  const [{ caller, sync }, victim] = [await world.runner(aurora), await world.runner('shops/berlin')]
  assert.equal((await caller.send('shops/berlin', 'sync', {})).status, 401)
  assert.equal((await caller.send('shops/berlin', 'report', { lease: victim.sync.lease })).status, 401)

  const foreign = await world.hub.get<KubernetesObject>(unitOf('shops'))
  const about = { lease: sync.lease, ref: unitOf('shops'), uid: foreign!.metadata.uid }
  const { resourceVersion } = foreign!.metadata
  assert.equal((await caller.send(aurora, 'report', { ...about, resourceVersion, status: {} })).status, 404)
  const event = { component: 'kustomize-controller', occurrence: { severity: 'info', reason: 'A', message: 'b' } }
  assert.equal((await caller.send(aurora, 'event', { ...about, ...event })).status, 404)
  const secret = { group: '', kind: 'Secret', namespace: 'ships', name: 'values' }
  assert.equal((await caller.send(aurora, 'report', { ...about, ref: secret, status: {} })).status, 404)
  assert.deepEqual(world.events, [])
  assert.deepEqual(await world.hub.get<KubernetesObject>(unitOf('shops')), foreign)
})

test('only artifacts that units of the runner use are served', async () => {
  const world = await runnerWorld()
  const publish = async (namespace: string) => {
    const path = `gitrepository/${namespace}/app/1.tar.gz`
    const artifact = {
      path,
      digest: digest(namespace === 'ships' ? 'a' : 'b'),
      revision: 'main@sha1:1',
      url: 'http://x',
    }
    const patch = { status: { artifact: { ...artifact, lastUpdateTime: '2026-01-01T00:00:00Z' } } }
    const ref = { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository', namespace, name: 'app' }
    await world.hub.patch(ref, { type: 'merge', patch }, { ...by('test'), subresource: 'status' })
    return `gitrepository/${namespace}/app/${artifact.digest.slice(7)}.tar.gz`
  }
  const [own, foreign] = [await publish('ships'), await publish('shops')]
  const { caller, sync } = await world.runner(aurora)
  const get = (name: string) => caller.send(aurora, 'artifact', { lease: sync.lease, name })
  const served = await get(own)
  assert.equal(
    Buffer.from(String(served.body.content), 'base64').toString(),
    'content of gitrepository/ships/app/1.tar.gz',
  )
  assert.equal((await get(foreign)).status, 404)
  assert.equal((await get('build/0')).status, 404)
  assert.equal((await get('gitrepository/ships/app/../../shops/app/1.tar.gz')).status, 404)
})

test('a report replaces the status of the version that it names, so a replayed or late one changes nothing', async () => {
  const world = await runnerWorld()
  const { caller, sync } = await world.runner(aurora)
  const unit = sync.copy!.own.find(({ kind }) => kind === 'Kustomization')!
  const about = { lease: sync.lease, ref: unitOf('ships'), uid: unit.metadata.uid }
  const status = (revision: string) => ({ observedGeneration: 1, lastAppliedRevision: revision })
  const revision = async () =>
    (await world.hub.get<KubernetesObject & { status: Record<string, unknown> }>(unitOf('ships')))!.status
      .lastAppliedRevision
  const first = await caller.send(aurora, 'report', {
    ...about,
    resourceVersion: unit.metadata.resourceVersion,
    status: status('old'),
  })
  assert.equal(first.status, 200, first.body.message)
  const recorded = world.sent.at(-1)!
  const { resourceVersion } = first.body
  const second = await caller.send(aurora, 'report', { ...about, resourceVersion, status: status('new') })
  assert.equal(second.status, 200)
  assert.equal((await world.replay(recorded)).status, 409)
  assert.equal(await revision(), 'new')
  await world.clock.advance(61_000)
  assert.equal((await world.replay(recorded)).status, 401, 'after a minute it is no valid request at all')
})

test('a signature holds for its path and body only, and not for a changed or cut one', async () => {
  const world = await runnerWorld()
  const { caller, sync } = await world.runner(aurora)
  const known = { lease: sync.lease, known: sync.digest }
  assert.equal((await caller.send(aurora, 'sync', known)).body.copy, undefined)
  assert.equal((await caller.send(aurora, 'sync', known, { path: '/runner/v1/report' })).status, 401)
  assert.equal((await caller.send(aurora, 'sync', known, { body: '{}' })).status, 401)
  assert.equal((await caller.send(aurora, 'sync', known, { at: world.clock.now() + 120_000 })).status, 401)
  const good = world.sent[world.sent.length - 4]!
  const authorization = good.headers.get('authorization')!
  for (const bad of [authorization.slice(0, -3), authorization.replace('Runner', 'Bearer'), '']) {
    const body = JSON.stringify(known)
    const request = new Request(good.url, { method: 'POST', headers: { authorization: bad }, body })
    assert.equal((await world.replay(request)).status, 401)
  }
})

test('of two runners for one Cluster one works, and the other once the first is silent', async () => {
  const world = await runnerWorld()
  const { caller, sync } = await world.runner(aurora)
  // The same key in two processes, as by a copied volume.
  const second = await caller.send(aurora, 'sync', {})
  assert.equal(second.status, 410)
  assert.match(second.body.message ?? '', /^another runner works for Cluster ships\/aurora/)
  await world.clock.advance(runnerLeaseMs + 1)
  const taken = await caller.send(aurora, 'sync', {})
  assert.equal(taken.status, 200)
  const unit = sync.copy!.own.find(({ kind }) => kind === 'Kustomization')!
  const { uid, resourceVersion } = unit.metadata
  const late = { lease: sync.lease, ref: unitOf('ships'), uid, resourceVersion, status: {} }
  assert.equal((await caller.send(aurora, 'report', late)).status, 410)
  assert.equal((await caller.send(aurora, 'report', { ...late, lease: taken.body.lease })).status, 200)
})

test('a unit stays until its runner says that all is deleted, and goes at no other time', async () => {
  const world = await runnerWorld()
  const { caller, sync } = await world.runner(aurora)
  const { uid, resourceVersion } = sync.copy!.own.find(({ kind }) => kind === 'Kustomization')!.metadata
  const about = { lease: sync.lease, ref: unitOf('ships'), uid }
  const early = await caller.send(aurora, 'report', { ...about, resourceVersion, finalized: true })
  assert.deepEqual([early.status, early.body.message], [400, 'Kustomization app is not being deleted'])
  const deleted = await world.hub.delete(unitOf('ships'), {})
  assert.ok(await world.hub.get(unitOf('ships')))
  const handed = (await caller.send(aurora, 'sync', { lease: sync.lease, known: sync.digest })).body as {
    copy?: unknown
  }
  assert.match(JSON.stringify(handed.copy), /deletionTimestamp/)
  const version = deleted.metadata.resourceVersion
  assert.equal(
    (await caller.send(aurora, 'report', { ...about, resourceVersion: version, finalized: true })).status,
    200,
  )
  assert.equal(await world.hub.get(unitOf('ships')), undefined)
})

test('a Cluster that the hub reaches itself has no runner', async () => {
  const world = await runnerWorld()
  const { caller } = await world.runner(aurora)
  const ref = { group: '', kind: 'ConfigMap', namespace: 'ships', name: 'aurora' }
  await world.hub.patch(ref, { type: 'merge', patch: { data: { provider: 'aws' } } }, by('test'))
  await world.clock.advance(runnerLeaseMs + 1)
  const refused = await caller.send(aurora, 'sync', {})
  assert.equal(refused.status, 404)
  assert.match(
    refused.body.message ?? '',
    /^Cluster ships\/aurora does not exist, or its kubeConfig names no ConfigMap/,
  )
})

test('other paths are those of the API', async () => {
  const world = await runnerWorld()
  const { caller } = await world.runner(aurora)
  assert.equal((await caller.send(aurora, 'constructor', {})).status, 404)
  const request = new Request('https://hub.example.org/runner/v1/sync')
  assert.equal((await world.replay(request)).status, 405)
})

test('a runner that was killed takes its lease over at once; one with a copy of its folder stops it, and works alone', async () => {
  const world = await runnerWorld()
  const { caller, sync } = await world.runner(aurora)
  const again = await caller.send(aurora, 'sync', { resumes: sync.lease })
  assert.equal(again.status, 200)
  assert.notEqual(again.body.lease, sync.lease)
  assert.equal((await caller.send(aurora, 'sync', { lease: sync.lease })).status, 410, 'the first one')
  assert.equal((await caller.send(aurora, 'sync', { resumes: sync.lease })).status, 410, 'the copy is old')
  assert.equal((await caller.send(aurora, 'sync', { lease: again.body.lease })).status, 200)
})
