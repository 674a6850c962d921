import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import { configMap, onStage } from './scene.ts'

const apps = Array.from({ length: 8 }, (_, i) => `app-${i}`)

/** A folder for each app, and one that some of them take in. */
const monorepo = (values: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  'shared/labels.yaml': configMap('shared', values.shared ?? 'one'),
  'docs/readme.md': values.docs ?? 'one',
  ...Object.fromEntries(apps.map(app => [`${app}/config.yaml`, configMap(app, values[app] ?? 'one')])),
  'app-6/kustomization.yaml': kustomization('six-'),
  'app-7/kustomization.yaml': kustomization('seven-'),
})

const kustomization = (namePrefix: string): string =>
  `resources: [config.yaml, ../shared/labels.yaml]\nnamePrefix: ${namePrefix}\n`

/** A cluster that tells of each write to it. */
const watched =
  (writes: string[]) =>
  (cluster: ClusterClient): ClusterClient => {
    const told = (what: string, options: { readonly dryRun?: boolean }) => {
      if (!options.dryRun) writes.push(what)
    }
    return {
      ...cluster,
      apply: (object, options) => {
        told(`apply ${object.metadata.name}`, options)
        return cluster.apply(object, options)
      },
      create: (object, options) => {
        told(`create ${object.metadata.name}`, options)
        return cluster.create(object, options)
      },
      patch: (apiVersion, ref, patch, options) => {
        told(`patch ${ref.name}`, options)
        return cluster.patch(apiVersion, ref, patch, options)
      },
      delete: (apiVersion, ref, options) => {
        writes.push(`delete ${ref.name}`)
        return cluster.delete(apiVersion, ref, options)
      },
    }
  }

test('a push to a monorepo rebuilds the Kustomizations that it touches; the others note its revision, and write nothing', () => {
  const builds: string[] = []
  const writes: string[] = []
  return onStage({ cluster: watched(writes), onBuild: folder => builds.push(folder) }, async scene => {
    const { push, kustomize, read } = scene
    await push('1', monorepo())
    for (const app of apps)
      await kustomize(app, { path: app, ...(app === 'app-1' && { dependsOn: [{ name: 'app-0' }] }) })
    await scene.advance(60_000)
    assert.deepEqual(builds.toSorted(), apps)

    const after = async (revision: string, change: Readonly<Record<string, string>>) => {
      builds.length = writes.length = 0
      await push(revision, monorepo(change))
      await scene.advance(60_000)
      for (const app of apps) {
        const { status } = (await read(app))!
        assert.equal(status?.lastAppliedRevision, `main@sha1:${revision}`, app)
      }
      return { builds: builds.toSorted(), writes: writes.toSorted() }
    }
    assert.deepEqual(await after('2', { 'app-3': 'two' }), { builds: ['app-3'], writes: ['apply app-3'] })
    assert.deepEqual(await after('3', { 'app-3': 'two', docs: 'two' }), { builds: [], writes: [] })
    // A base that two of them take in: no list of changed files would name their folders.
    assert.deepEqual(await after('4', { 'app-3': 'two', shared: 'two' }), {
      builds: ['app-6', 'app-7'],
      writes: ['apply seven-shared', 'apply six-shared'],
    })
  })
})
