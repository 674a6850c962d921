/** A tenant may write the status of its own sources. It gains nothing by naming what belongs to another object there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blobNameOf } from '../../../../lib/foundations/kinds/artifact.ts'
import type { GitRepository } from '../../../../lib/foundations/kinds/git-repository.ts'
import type { ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import { archive, sourceIgnores } from '../../../../lib/sources/artifact/archive.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, configMap, onStage } from './scene.ts'

const sourceRef = (name: string, kind = 'GitRepository'): ObjectRef => ({
  group: 'source.toolkit.fluxcd.io',
  kind,
  namespace: 'default',
  name,
})

const forgedSource = {
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
  metadata: { name: 'forged', namespace: 'default' },
}

const byStatus = { subresource: 'status', ...author } as const

test('an artifact of another object, which a forged status names, is neither built nor applied', () =>
  onStage({}, async ({ hub, push, kustomize, conditions, values, settle }) => {
    await push('1', { 'secret.yaml': configMap('secret', 'of app') })
    const artifact = (await hub.get<GitRepository>(sourceRef('app')))?.status?.artifact
    await hub.create({ ...forgedSource, spec: { url: 'https://git.example.com/m', interval: '10m' } }, author)
    for (const path of [artifact!.path, `gitrepository/default/forged/../app/${artifact!.path.split('/').at(-1)}`]) {
      const forged = { ...artifact, path }
      await hub.patch(sourceRef('forged'), { type: 'merge', patch: { status: { artifact: forged } } }, byStatus)
      await kustomize('thief', { sourceRef: { kind: 'GitRepository', name: 'forged' } })
      await settle()
      assert.match((await conditions('thief')).at(-1)!, /^Ready=False ArtifactFailed: Source artifact not found/)
      assert.deepEqual(await values(), {})
      await hub.delete(kustomizationRef('thief'), {})
      await settle()
    }
  }))

const generated = {
  sourceRef: { apiVersion: 'source.extensions.fluxcd.io/v1beta1', kind: 'ArtifactGenerator', name: 'apps' },
}

const downloads = (buildAhead: boolean): Promise<void> => {
  const built: string[] = []
  return onStage(
    {
      settings: { externalArtifact: true, buildAhead },
      onBuild: folder => built.push(folder),
      download: async url => {
        throw new Error(`nothing at ${url}`)
      },
    },
    async ({ hub, push, kustomize, conditions, values, settle }) => {
      await push('1', { 'secret.yaml': configMap('secret', 'of app') })
      const artifact = (await hub.get<GitRepository>(sourceRef('app')))?.status?.artifact
      const ref = sourceRef('forged', 'ExternalArtifact')
      await hub.create({ ...forgedSource, kind: 'ExternalArtifact' }, author)
      const ready = {
        type: 'Ready',
        status: 'True',
        reason: 'Ready',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      }
      const forged = { ...artifact, url: 'http://mallory.example/a.tar.gz' }
      await hub.patch(ref, { type: 'merge', patch: { status: { artifact: forged, conditions: [ready] } } }, byStatus)
      await kustomize('thief', { sourceRef: { kind: 'ExternalArtifact', name: 'forged' } })
      await settle()
      assert.match((await conditions('thief')).at(-1)!, /nothing at http:\/\/mallory\.example/)
      const news = { status: { artifact: { ...forged, revision: 'main@sha1:2' } } }
      await hub.patch(ref, { type: 'merge', patch: news }, byStatus)
      await settle()
      assert.deepEqual([await values(), built], [{}, []])
    },
  )
}

test('an ExternalArtifact of another controller is downloaded from its URL, and never read from the store by its path', () =>
  downloads(false))

test('nor is it built ahead from the store', () => downloads(true))

test('an ExternalArtifact may have any path: whatever its producer wrote there is not a name of ours', async () => {
  const tree = new Map([['a.yaml', { content: Buffer.from(configMap('a', 'made elsewhere')), executable: false }]])
  const { content, digest } = await archive(tree, sourceIgnores(tree))
  const paths = ['a/b.tar.gz', 'acme/app@2.0/v1.tar.gz', 'https://store.example/a.tar.gz?x=1', '../../etc', '']
  await onStage(
    { settings: { externalArtifact: true }, download: async () => content },
    async ({ hub, kustomize, conditions, values, settle }) => {
      const ref = sourceRef('made', 'ExternalArtifact')
      await hub.create(
        { ...forgedSource, kind: 'ExternalArtifact', metadata: { name: 'made', namespace: 'default' } },
        author,
      )
      await kustomize('app', { sourceRef: { kind: 'ExternalArtifact', name: 'made' } })
      for (const [at, path] of paths.entries()) {
        const revision = `latest@sha256:${at}`
        const artifact = {
          digest,
          path,
          url: `http://producer.example/${at}`,
          revision,
          lastUpdateTime: '2026-01-01T00:00:00Z',
        }
        const condition = {
          ...{ type: 'Ready', status: 'True', reason: 'Ready', message: '' },
          lastTransitionTime: '2026-01-01T00:00:00Z',
        }
        await hub.patch(ref, { type: 'merge', patch: { status: { artifact, conditions: [condition] } } }, byStatus)
        await settle()
        assert.deepEqual(
          await conditions('app'),
          [`Ready=True ReconciliationSucceeded: Applied revision: ${revision}`],
          path,
        )
      }
      assert.deepEqual(await values(), { a: 'made elsewhere' })
    },
  )
})

test('AG-047 the artifact of a generator is read from the store by its digest, and from its own folder only', () =>
  onStage(
    { settings: { externalArtifact: true } },
    async ({ hub, push, platform, kustomize, conditions, values, settle }) => {
      await push('1', { 'secret.yaml': configMap('secret', 'of app') })
      const others = (await hub.get<GitRepository>(sourceRef('app')))!.status!.artifact!
      const tree = new Map([['a.yaml', { content: Buffer.from(configMap('a', 'generated')), executable: false }]])
      const { content, digest } = await archive(tree, sourceIgnores(tree))
      const metadata = { name: 'made', namespace: 'default' }
      await hub.create({ ...forgedSource, kind: 'ExternalArtifact', metadata, spec: generated }, author)
      const ref = sourceRef('made', 'ExternalArtifact')
      const give = async (artifact: object) => {
        await hub.patch(ref, { type: 'merge', patch: { status: { artifact } } }, byStatus)
        await settle()
      }
      const url = 'http://mallory.example/a.tar.gz'
      await kustomize('app', { sourceRef: { kind: 'ExternalArtifact', name: 'made' } })
      for (const path of [others.path, 'externalartifact/default/other/1.tar.gz']) {
        await give({ ...others, path, url })
        assert.match((await conditions('app')).at(-1)!, /^Ready=False ArtifactFailed: Source artifact not found/)
      }
      const own = { digest, path: 'externalartifact/default/made/1.tar.gz', revision: 'latest@1' }
      await platform.artifacts.put(blobNameOf(own), content)
      await give({ ...own, url, lastUpdateTime: '2026-01-01T00:00:00Z' })
      assert.deepEqual(await conditions('app'), ['Ready=True ReconciliationSucceeded: Applied revision: latest@1'])
      assert.deepEqual(await values(), { a: 'generated' })
    },
  ))
