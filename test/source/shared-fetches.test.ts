/** Sources that would fetch the same, in whichever namespaces they are: one fetch, one content in the store, and nobody learns of another. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Artifact, blobNameOf, folderOf } from '../../lib/foundations/kinds/artifact.ts'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { collectReplaced } from '../../lib/reconcile/source-artifact/collect-replaced.ts'
import { extract } from '../../lib/sources/artifact/extract.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { shown } from '../unit/reconcile/world.ts'
import { filesLayer, group, openRegistry } from './oci/oci-world.ts'
import { openSourceWorld } from './source-world.ts'

const minute = 60_000
const author = { fieldManager: 'author' }

type Source = KubernetesObject & { readonly status?: { readonly artifact?: Artifact } }

/** Sources of one kind, each `app` in a namespace of its own. */
const tenants = async (kind: string) => {
  const world = await openSourceWorld()
  const { artifacts } = world.platform
  const refOf = (namespace: string, name = 'app') => ({ group, kind, namespace, name })
  const get = async (namespace: string, name?: string) => (await world.hub.get<Source>(refOf(namespace, name)))!
  const artifactOf = async (namespace: string, name?: string) => (await get(namespace, name)).status?.artifact
  return {
    ...world,
    refOf,
    get,
    artifactOf,
    async creates(namespace: string, spec: object, secret?: Readonly<Record<string, string>>, name = 'app') {
      const space = { group: '', kind: 'Namespace', namespace: '', name: namespace }
      if (!(await world.hub.get(space)))
        await world.hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, author)
      if (secret) {
        const metadata = { name, namespace }
        await world.hub.create({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: secret } as never, author)
      }
      const object = { apiVersion: `${group}/v1`, kind, metadata: { name, namespace } }
      const more = secret ? { secretRef: { name } } : {}
      await world.hub.create({ ...object, spec: { interval: '10m', ...spec, ...more } } as never, author)
      await world.settle()
    },
    async files(namespace: string, name?: string) {
      const content = await artifacts.get(blobNameOf((await artifactOf(namespace, name))!))
      return content && [...(await extract(content)).keys()].sort()
    },
  }
}

const main = { ref: { branch: 'main' } }

test('GitRepositories of one address and rules are fetched once, and stored once', async () => {
  const repo = await gitRepo({ 'a.yaml': '1' })
  const world = await tenants('GitRepository')
  for (const namespace of ['team-a', 'team-b', 'team-c']) await world.creates(namespace, { url: repo.url, ...main })
  assert.deepEqual(repo.operations(), ['ls-refs', 'fetch', 'ls-refs', 'ls-refs'])
  assert.equal((await world.contents()).length, 1)
  assert.equal((await world.stored()).length, 3)
  // What a tenant sees is what it would see alone.
  const seen = async (namespace: string) => {
    const { status, ...object } = await world.get(namespace)
    const { path, url, lastUpdateTime: _, ...artifact } = status!.artifact!
    assert.ok(path.startsWith(`gitrepository/${namespace}/app/`) && url.endsWith(path))
    const events = (await world.eventsOf(world.refOf(namespace))).map(event => event.replaceAll(namespace, 'NS'))
    return { artifact, events, conditions: shown({ status, ...object } as never), files: await world.files(namespace) }
  }
  assert.deepEqual(await seen('team-b'), await seen('team-a'))
  assert.deepEqual(await seen('team-c'), await seen('team-a'))

  const commit = await repo.push({ 'b.yaml': '2' })
  const before = repo.operations().length
  await world.advance(11 * minute)
  for (const namespace of ['team-a', 'team-b', 'team-c']) {
    assert.equal((await world.artifactOf(namespace))?.revision, `main@sha1:${commit}`)
    assert.deepEqual(await world.files(namespace), ['a.yaml', 'b.yaml'])
  }
  assert.equal(
    repo
      .operations()
      .slice(before)
      .filter(what => what === 'fetch').length,
    1,
  )
})

test('passes that begin together wait for the first of them', async () => {
  const repo = await gitRepo({ 'a.yaml': '1' })
  const world = await tenants('GitRepository')
  const namespaces = ['team-a', 'team-b', 'team-c', 'team-d']
  for (const namespace of namespaces) await world.creates(namespace, { url: repo.url, ...main })
  const commit = await repo.push({ 'a.yaml': '2' })
  const before = repo.operations().length
  await Promise.all(namespaces.map(namespace => world.platform.schedule.setDue(world.refOf(namespace), 0)))
  await Promise.all(namespaces.map(namespace => world.loop.handle({ stage: 'source', ref: world.refOf(namespace) })))
  await world.settle()
  for (const namespace of namespaces) assert.equal((await world.artifactOf(namespace))?.revision, `main@sha1:${commit}`)
  assert.equal(
    repo
      .operations()
      .slice(before)
      .filter(what => what === 'fetch').length,
    1,
  )
})

test('other rules or credentials, includes and pinned commits are fetched by themselves', async () => {
  const auth = { username: 'jane', password: 'secret' }
  const repo = await gitRepo({ 'a.yaml': '1', 'docs/b.md': '2' }, { auth })
  const world = await tenants('GitRepository')
  const fetches = () => repo.operations().filter(what => what === 'fetch').length
  const spec = { url: repo.url, ...main }
  await world.creates('team-a', spec, auth)
  assert.equal(fetches(), 1)
  await world.creates('team-b', spec, auth)
  assert.equal(fetches(), 1, 'the same credentials, in a Secret of its own')
  await world.creates('team-c', { ...spec, ignore: 'docs/\n' }, auth)
  assert.deepEqual([fetches(), await world.files('team-c')], [2, ['a.yaml']])
  const commit = await repo.git('rev-parse', 'main')
  await world.creates('team-e', { url: repo.url, ref: { commit } }, auth)
  assert.equal(fetches(), 3)
  await world.creates(
    'team-a',
    { ...spec, include: [{ repository: { name: 'app' }, toPath: 'lib' }] },
    auth,
    'including',
  )
  assert.equal(fetches(), 4)
  await world.creates('team-f', { ...spec, sparseCheckout: ['docs'] }, auth)
  assert.deepEqual(await world.files('team-f'), ['docs/b.md'])

  await world.creates('team-g', spec, { ...auth, password: 'guessed' })
  assert.match(shown(await world.get('team-g')).join('\n'), /Ready=False GitOperationFailed/)
  assert.equal(await world.artifactOf('team-g'), undefined)

  // A server that lets everybody in may still answer one otherwise than another.
  const open = await gitRepo({ 'a.yaml': '1' })
  await world.creates('team-h', { url: open.url, ...main })
  await world.creates('team-i', { url: open.url, ...main }, auth)
  assert.equal(open.operations().filter(what => what === 'fetch').length, 2)
})

test('the artifact of another is not had by its digest: a forged status has its source fetch', async () => {
  const [repo, other] = [await gitRepo({ 'secret.yaml': '1' }), await gitRepo({ 'own.yaml': '1' })]
  const world = await tenants('GitRepository')
  await world.creates('team-a', { url: repo.url, ...main })
  await world.creates('team-b', { url: other.url, ...main })
  const { digest, size } = (await world.artifactOf('team-a'))!
  const own = (await world.artifactOf('team-b'))!
  const forged = { ...own, digest, size, path: `${folderOf(await world.get('team-b'))}${digest.slice(7)}.tar.gz` }
  await world.hub.patch(
    world.refOf('team-b'),
    { type: 'merge', patch: { status: { artifact: forged } } },
    { subresource: 'status', ...author },
  )
  assert.equal(await world.platform.artifacts.get(blobNameOf(forged)), undefined)
  await world.advance(11 * minute)
  assert.equal((await world.artifactOf('team-b'))?.digest, own.digest)
  assert.deepEqual(await world.files('team-b'), ['own.yaml'])
})

test('content is deleted a day after its last artifact, and stays while an artifact uses it', async () => {
  const repo = await gitRepo({ 'a.yaml': '1' })
  const world = await tenants('GitRepository')
  const collect = () => collectReplaced({ ...world.platform, hub: world.hub }, { records: 2, ttlMs: minute })
  for (const namespace of ['team-a', 'team-b'])
    await world.creates(namespace, { url: repo.url, interval: '100h', ...main })
  const deletes = async (namespace: string) => {
    await world.hub.delete(world.refOf(namespace), {})
    await world.settle()
  }
  await deletes('team-a')
  await world.clock.advance(25 * 60 * minute)
  await collect()
  assert.deepEqual(await world.files('team-b'), ['a.yaml'])
  await deletes('team-b')
  await collect()
  assert.deepEqual(await world.contents(), [])
  await world.creates('team-c', { url: repo.url, ...main })
  assert.deepEqual(await world.files('team-c'), ['a.yaml'], 'fetched anew')
})

test('OCIRepositories with one address and the same rules pull a layer once, and share a request in a visit', async () => {
  const registry = await openRegistry()
  await registry.push({ layers: [filesLayer({ 'a.yaml': '1' })], annotations: { made: 'here' } }, 'app', 'latest')
  const world = await tenants('OCIRepository')
  const spec = { url: registry.url('app'), insecure: true }
  const layers = () => registry.requests().filter(request => request.includes('/blobs/')).length
  await world.creates('team-a', spec)
  const alone = layers()
  assert.ok(alone > 0)
  await world.creates('team-b', spec)
  await world.creates('team-c', { ...spec, ref: { tag: 'latest' } })
  assert.equal(layers(), 0)
  assert.equal((await world.contents()).length, 1)
  const { lastUpdateTime: _, path: __, url: ___, ...first } = (await world.artifactOf('team-a'))!
  for (const namespace of ['team-b', 'team-c']) {
    const { lastUpdateTime: _, path: __, url: ___, ...artifact } = (await world.artifactOf(namespace))!
    assert.deepEqual(artifact, first)
    assert.deepEqual(await world.files(namespace), ['a.yaml'])
  }
  await world.creates('team-d', { ...spec, ignore: 'nothing' })
  assert.equal(layers(), alone)

  await world.advance(31 * minute)
  registry.requests()
  await world.advance(10 * minute)
  const asked = registry.requests().filter(request => request.includes('/manifests/'))
  assert.ok(asked.length >= 1 && asked.length <= 4, asked.join('\n'))
})
