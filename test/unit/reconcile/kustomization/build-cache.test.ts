import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { BuildCache } from '../../../../lib/engines/kustomize/build.ts'
import type { FileSystem } from '../../../../lib/engines/kustomize/file-system.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { ArtifactStore } from '../../../../lib/platform/ports/artifacts.ts'
import { createBuildCache } from '../../../../lib/reconcile/kustomization/build/build-cache.ts'
import { collectBuilds } from '../../../../lib/reconcile/kustomization/build/stored-builds.ts'
import { openWorld } from '../world.ts'
import { filesOf } from './files.ts'

/** A cache in a world of its own, and how often it had to build. */
const within = async (
  story: (scene: {
    build(key: string, digest: string, contents: Readonly<Record<string, string>>): Promise<number>
    /** The same store in another process. */
    restart(): void
    readonly artifacts: ArtifactStore
    readonly now: number
  }) => Promise<void>,
) => {
  const world = await openWorld(() => [])
  const { platform, clock } = world
  try {
    let builds = 0
    let cached = createBuildCache(platform, 0)
    const render = async (files: FileSystem) => {
      builds++
      const [first] = files.list('app') ?? []
      const value = Buffer.from(files.read(`app/${first}`) ?? '').toString()
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { value } }
      const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  value: ${value}\n`
      return { manifests: [{ object: object as KubernetesObject, yaml, origin: 'app/a.yaml' }], isRepeatable: true }
    }
    await story({
      async build(key, digest, contents) {
        const before = builds
        const [manifest] = await cached({ key, digest, files: filesOf(contents) }, render)
        assert.deepEqual(manifest?.object.data, { value: contents['app/a.yaml'] })
        return builds - before
      },
      restart() {
        cached = createBuildCache(platform, 0)
      },
      artifacts: platform.artifacts,
      now: clock.now(),
    })
  } finally {
    await world.close()
  }
}

test('builds again only if a file or folder that the build read has changed', () =>
  within(async ({ build }) => {
    assert.equal(await build('k', 'sha256:1', { 'app/a.yaml': 'one', 'docs/x': '1' }), 1)
    assert.equal(await build('k', 'sha256:1', { 'app/a.yaml': 'one', 'docs/x': '1' }), 0)
    assert.equal(await build('k', 'sha256:2', { 'app/a.yaml': 'one', 'docs/x': '2' }), 0)
    assert.equal(await build('k', 'sha256:3', { 'app/a.yaml': 'two', 'docs/x': '2' }), 1)
    assert.equal(await build('k', 'sha256:4', { 'app/a.yaml': 'two', 'app/b.yaml': '' }), 1)
    assert.equal(await build('other', 'sha256:4', { 'app/a.yaml': 'two', 'app/b.yaml': '' }), 1)
  }))

test('builds once for concurrent callers', () =>
  within(async ({ build }) => {
    const asked = Array.from({ length: 20 }, () => build('k', 'sha256:1', { 'app/a.yaml': 'one' }))
    await Promise.all(asked)
    assert.equal(await build('k', 'sha256:1', { 'app/a.yaml': 'one' }), 0)
  }))

test('a build that its first caller gives up is made for those who still want it', async () => {
  const { platform, close } = await openWorld(() => [])
  try {
    const cached = createBuildCache(platform, 0)
    const [leaving, staying] = [new AbortController(), new AbortController()]
    const files = filesOf({ 'app/a.yaml': 'one' })
    const built = (signal: AbortSignal) => cached({ key: 'k', digest: 'sha256:1', files, signal }, () => render(signal))
    let builds = 0
    const render = async (signal: AbortSignal) => {
      builds++
      if (builds === 1 && !signal.aborted) await once(signal, 'abort')
      signal.throwIfAborted()
      return { manifests: [], isRepeatable: true }
    }
    const [left, stayed, another] = [leaving.signal, staying.signal, staying.signal].map(built)
    leaving.abort(new Error('given up'))
    await assert.rejects(left!, /given up/)
    assert.deepEqual(await Promise.all([stayed, another]), [[], []])
    assert.equal(builds, 2)
  } finally {
    await close()
  }
})

test("uses encrypted builds of other processes, and builds again if one can't be decrypted", () =>
  within(async ({ build, restart, artifacts }) => {
    await build('k', 'sha256:1', { 'app/a.yaml': 'one' })
    restart()
    assert.equal(await build('k', 'sha256:1', { 'app/a.yaml': 'one' }), 0)

    const [stored] = await Array.fromAsync(artifacts.list('build/'))
    const content = Buffer.from((await artifacts.get(stored!.name))!)
    assert.ok(!content.includes('ConfigMap'))
    await artifacts.delete(stored!.name)
    await artifacts.put(stored!.name, Buffer.from('garbage'))
    restart()
    assert.equal(await build('k', 'sha256:1', { 'app/a.yaml': 'one' }), 1)
  }))

test('forgets stored builds that nobody has made for a while', () =>
  within(async ({ build, artifacts, now }) => {
    await build('k', 'sha256:1', { 'app/a.yaml': 'one' })
    await collectBuilds(artifacts, now)
    assert.equal((await Array.fromAsync(artifacts.list('build/'))).length, 1)
    await collectBuilds(artifacts, now + 1_000)
    assert.equal((await Array.fromAsync(artifacts.list('build/'))).length, 0)
  }))

/** Renders that tell what they were given, in a cache that takes every build for a slow one, or none. */
const rendering = async (storedFromMs: number, isRepeatable: boolean, digests: readonly string[]) => {
  const world = await openWorld(() => [])
  try {
    const cached = createBuildCache(world.platform, storedFromMs)
    const memories: unknown[] = []
    for (const digest of digests)
      await cached({ key: 'k', digest, files: filesOf({ 'app/a.yaml': digest }) }, async (files, memory) => {
        files.read('app/a.yaml')
        memories.push(memory)
        return { manifests: [], isRepeatable }
      })
    return { memories, stored: (await Array.fromAsync(world.platform.artifacts.list('build/'))).length }
  } finally {
    await world.close()
  }
}

test('never caches builds that use the network or a program', async () => {
  const { memories, stored } = await rendering(0, false, ['same', 'same', 'same'])
  assert.equal(memories.length, 3)
  assert.equal(stored, 0)
})

test('hands from build to build of something large what has not changed', async () => {
  const { memories } = await rendering(0, true, ['one', 'two', 'three'])
  assert.equal(memories[0], undefined)
  assert.ok(memories[1] instanceof BuildCache)
  assert.equal(memories[2], memories[1])
  assert.deepEqual((await rendering(60_000, true, ['one', 'two'])).memories, [undefined, undefined])
})
