import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { fetchedFrom, signedArtifacts, storedApart, withHeads } from '../../../lib/compose/runner-artifacts.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import type { ArtifactStore } from '../../../lib/platform/ports/artifacts.ts'
import type { Keys } from '../../../lib/platform/ports/keys.ts'
import { sealedBuilds } from '../../../lib/reconcile/kept-builds/sealed-builds.ts'
import { archive } from '../../../lib/sources/artifact/archive.ts'
import { NotVerified } from '../../../lib/sources/verify/not-verified.ts'
import { readPublicKey } from '../../../lib/sources/verify/public-key.ts'
import { listName, listOf, signatureName } from '../../../lib/sources/verify/signed-tree.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const keys = [readPublicKey(Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })))]

const file = (content: string) => ({ content: Buffer.from(content), executable: false })

/** An artifact with one file, as a hub stores it for a source of this name. */
const artifact = async (source: string, name: string, signedAt: number) => {
  const files = new Map([['a.yaml', file(`${name} ${signedAt}`)]])
  const list = listOf(files, { name, signedAt })
  files.set(listName, file(list)).set(signatureName, file(sign(null, Buffer.from(list), privateKey).toString('base64')))
  const { content } = await archive(files, () => false)
  const hex = createHash('sha256').update(content).digest('hex')
  const folder = `gitrepository/default/${source}/`
  const status = { artifact: { path: `${folder}x.tar.gz`, digest: `sha256:${hex}`, revision: name, url: 'http://x' } }
  const metadata = { namespace: 'default', name: source }
  const object: KubernetesObject = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata,
    status,
  }
  return { at: `${folder}${hex}.tar.gz`, content, object }
}

test('an older revision is refused under every name that a hub gives its source, also after a restart, and is not shown', async () => {
  const [old, renamed, newer, another] = await Promise.all([
    artifact('shop', 'shop', 1_000),
    artifact('other', 'shop', 1_000),
    artifact('shop', 'shop', 2_000),
    artifact('docs', 'docs', 500),
  ])
  const blobs = new Map([old, renamed, newer, another].map(({ at, content }) => [at, content]))
  const store = { get: async (name: string) => blobs.get(name) } as unknown as ArtifactStore
  const kept = new Map<string, number>()
  const order = {
    signedAt: (name: string) => kept.get(name),
    keepSignedAt: async (name: string, at: number) => void kept.set(name, at),
  }
  const first = signedArtifacts(store, keys, order)
  const shown = (of: typeof first) =>
    of.withoutOlder({ own: [], others: [old.object, newer.object], settings: {} }).others.map(({ status }) => status)
  assert.ok(await first.store.get(old.at))
  assert.ok(await first.store.get(newer.at))
  assert.ok(await first.store.get(another.at), 'sources of other names have an order of their own')
  for (const { at } of [old, renamed])
    await assert.rejects(first.store.get(at), /shop was signed at .* a later revision/)
  assert.deepEqual(shown(first), [{}, newer.object.status])
  assert.equal(await first.store.get('build/0'), undefined)

  const restarted = signedArtifacts(store, keys, order)
  await assert.rejects(restarted.store.get(old.at), /a later revision/)
  assert.ok(await restarted.store.get(newer.at))
})

test('passes find what was applied of signed sources, to correct drift while a change waits, and nothing that was kept before signatures were demanded', async () => {
  const blobs = new Map<string, Uint8Array>()
  const disk = {
    get: async (name: string) => blobs.get(name),
    put: async (name: string, content: Uint8Array) => void blobs.set(name, content),
    delete: async (name: string) => void blobs.delete(name),
    list: async function* (folder: string) {
      for (const name of [...blobs.keys()]) if (name.startsWith(folder)) yield { name, size: 1, storedAt: 0 }
    },
  } as unknown as ArtifactStore
  const open = { seal: async (content: Uint8Array) => content, open: async (content: Uint8Array) => content }
  const buildsIn = (artifacts: ArtifactStore) => sealedBuilds<string>({ artifacts, keys: open as unknown as Keys })
  const unit: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'Unit',
    metadata: { namespace: 'default', name: 'u', uid: 'u' },
  }
  const [before, signed] = ['a', 'b'].map(digit => `sha256:${digit.repeat(64)}`) as [string, string]
  await buildsIn(disk).put(unit, before, 'unsigned')

  const order = { signedAt: () => undefined, keepSignedAt: async () => {} }
  const own = storedApart(disk)
  const builds = buildsIn(signedArtifacts(own, keys, order).store)
  await builds.put(unit, signed, 'signed')
  assert.deepEqual([await builds.get(unit, signed), await builds.get(unit, before)], ['signed', undefined])
  const names = (await Array.fromAsync(own.list('kept/'))).map(({ name }) => name)
  assert.deepEqual(names, [`kept/default/u/${'b'.repeat(64)}`])
  await builds.delete(unit, signed)
  assert.equal(await builds.get(unit, signed), undefined)
  assert.equal(await buildsIn(disk).get(unit, before), 'unsigned')
})

test('what a hub hands out replaces an older artifact of its source, and nothing that the runner keeps to itself', async () => {
  const own = `kept/default/u/${'a'.repeat(64)}`
  const older = `gitrepository/default/shop/${'a'.repeat(64)}.tar.gz`
  const kept = new Map<string, Uint8Array>([own, older].map(name => [name, Buffer.from('old')]))
  const store = {
    get: async (name: string) => kept.get(name),
    put: async (name: string, content: Uint8Array) => void kept.set(name, content),
    delete: async (name: string) => void kept.delete(name),
    list: async function* (folder: string) {
      for (const name of [...kept.keys()]) if (name.startsWith(folder)) yield { name, storedAt: 0 }
    },
  } as unknown as ArtifactStore
  const requested: string[] = []
  const session = {
    artifact: async (name: string) => {
      requested.push(name)
      return Buffer.from('new')
    },
  }
  const fetched = fetchedFrom(session, store)
  const newer = older.replaceAll('aa', 'bb')
  assert.equal(Buffer.from((await fetched.get(newer))!).toString(), 'new')
  for (const name of [`${own.replaceAll('aa', 'bb')}.tar.gz`, own.replaceAll('aa', 'bb'), 'build/default/u/0.tar.gz'])
    assert.equal(await fetched.get(name), undefined, name)
  assert.deepEqual([[...kept.keys()], requested], [[own, newer], [newer]])
})

test('a head is fetched once, needs a signature where sources do, and changes nothing that passes use', async () => {
  const [base, head] = await Promise.all([artifact('shop', 'shop', 2_000), artifact('shop-pr-1', 'shop', 3_000)])
  const plain = await archive(new Map([['a.yaml', file('plain')]]), () => false)
  const kept = new Map<string, Uint8Array>([[base.at, base.content]])
  const store = {
    get: async (name: string) => kept.get(name),
    put: async (name: string, content: Uint8Array) => void kept.set(name, content),
    delete: async (name: string) => void kept.delete(name),
  } as unknown as ArtifactStore
  const fetched: string[] = []
  const session = (content: Uint8Array | undefined) => ({
    artifact: async (name: string) => {
      fetched.push(name)
      return content && Buffer.from(content)
    },
  })
  const held = withHeads(store, [head.at], session(head.content), keys)
  for (let times = 0; times < 2; times++) assert.deepEqual(await held.get(head.at), Buffer.from(head.content))
  assert.deepEqual([fetched, await held.get(base.at)], [[head.at], base.content])
  await held.put('build/0', base.content)
  await held.delete(base.at)
  assert.deepEqual([...kept.keys()], [base.at])

  await assert.rejects(withHeads(store, [head.at], session(plain.content), keys).get(head.at), NotVerified)
  assert.ok(await withHeads(store, [head.at], session(plain.content), []).get(head.at), 'nothing is demanded')
  assert.equal(await withHeads(store, [head.at], session(undefined), keys).get(head.at), undefined)
})
