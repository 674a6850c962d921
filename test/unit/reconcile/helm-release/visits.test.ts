import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import { visitRef } from '../../../../lib/platform/ports/visits.ts'
import { shown } from '../world.ts'
import { author, onStage, releaseRef, type Scene } from './scene.ts'

const tenMinutes = 600_000
const ofApp = { chartRef: { kind: 'HelmChart', name: 'app' } } as const
const visit = visitRef('helmrelease', 'default/') // of the hub itself: no kubeConfig

const inHub = (kind: string, name: string): ObjectRef => ({ group: '', kind, namespace: 'default', name })

/** Which requests a cluster gets, by verb and kind. */
const told =
  (requests: string[]) =>
  (cluster: ClusterClient): ClusterClient => ({
    ...cluster,
    get: (apiVersion, ref, options) => {
      requests.push(`get ${ref.kind}`)
      return cluster.get(apiVersion, ref, options)
    },
    list: (query, options) => {
      requests.push(`list ${query.kind}${query.metadataOnly ? ' metadata' : ''}`)
      return cluster.list(query, options)
    },
    apply: (object, options) => {
      requests.push(`${options.dryRun ? 'dry run' : 'apply'} ${object.kind}`)
      return cluster.apply(object, options)
    },
  })

/** Releases that are visited together, once they are. */
const atRest = (
  names: readonly string[],
  story: (scene: Scene, requests: string[]) => Promise<void>,
  spec: Parameters<Scene['release']>[1] = { ...ofApp, driftDetection: { mode: 'enabled' } },
) => {
  const requests: string[] = []
  return onStage({ cluster: told(requests) }, async scene => {
    await scene.publish('1.0.0')
    for (const name of names) await scene.release(name, spec)
    await scene.advance(2.5 * tenMinutes)
    scene.visited.splice(0)
    requests.splice(0)
    await story(scene, requests)
  })
}

test('an interval that finds a release as it was leaves no trace in the hub', () =>
  atRest(['web'], async ({ read, passes, visited, eventsOf, advance }) => {
    const before = await read('web')
    assert.match(shown(before).join('\n'), /Ready=True InstallSucceeded/)
    const [looked, events] = [passes.length, await eventsOf(releaseRef('web'))]
    await advance(3 * tenMinutes)
    assert.equal(passes.length, looked, 'no pass was needed')
    assert.deepEqual(
      visited.map(({ unchanged }) => unchanged.length),
      [1, 1, 1],
    )
    assert.deepEqual(await read('web'), before)
    assert.deepEqual(await eventsOf(releaseRef('web')), events)
  }))

test('releases of one cluster are checked with one list of their Secrets’ metadata, and one for each kind they have', () =>
  atRest(['a', 'b', 'c', 'd'], async ({ advance, platform }, requests) => {
    await advance(tenMinutes)
    const members = (await platform.visits.read(visit))!.members.map(({ ref }) => ref.name)
    assert.deepEqual(members.sort(), ['a', 'b', 'c', 'd'])
    assert.deepEqual(requests.sort(), ['list ConfigMap', 'list Secret metadata', 'list ServiceAccount'])
  }))

test('without drift detection only the metadata of Secrets is requested', () =>
  atRest(
    ['a', 'b'],
    async ({ advance }, requests) => {
      await advance(tenMinutes)
      assert.deepEqual(requests, ['list Secret metadata'])
    },
    ofApp,
  ))

test('a release with a chart of its own stays at rest too', () =>
  onStage({}, async ({ hub, publish, release, read, advance, passes, visited }) => {
    const chart = { spec: { chart: 'app', sourceRef: { kind: 'HelmRepository', name: 'charts' } } } as const
    await release('web', { chart })
    await publish('1.0.0', 'default-web')
    assert.match(shown(await read('web')).join('\n'), /Ready=True InstallSucceeded/)
    await advance(2.5 * tenMinutes)
    const [before, looked] = [await read('web'), passes.length]
    visited.splice(0)
    await advance(2 * tenMinutes)
    assert.equal(passes.length, looked)
    assert.deepEqual(
      visited.map(({ unchanged }) => unchanged.length),
      [1, 1],
    )
    assert.deepEqual(await read('web'), before)

    const theirs = { type: 'merge', patch: { spec: { version: '9.x' } } } as const
    await hub.patch(
      { group: 'source.toolkit.fluxcd.io', ...{ kind: 'HelmChart', namespace: 'default', name: 'default-web' } },
      theirs,
      author,
    )
    await advance(1.2 * tenMinutes)
    assert.ok(passes.length > looked, 'a chart that somebody has changed is put right')
  }))

test('drift is found by the visit and corrected by a pass', () =>
  atRest(['a', 'b'], async ({ hub, advance, eventsOf, passes }) => {
    const looked = passes.length
    await hub.delete(inHub('ConfigMap', 'a'), {})
    await advance(1.2 * tenMinutes)
    assert.ok(await hub.get(inHub('ConfigMap', 'a')))
    assert.deepEqual(
      passes.slice(looked).map(({ ref }) => ref.name),
      ['a'],
    )
    const events = (await eventsOf(releaseRef('a'))).join('\n')
    assert.match(events, /DriftDetected 1x[\s\S]*ConfigMap\/default\/a removed/)
    assert.match(events, /DriftCorrected 1x/)
  }))

test('a release that another client has written is read again, and cached again', () =>
  atRest(['a', 'b'], async ({ hub, advance, read }) => {
    const secret = inHub('Secret', 'sh.helm.release.v1.a.v1')
    assert.ok(await hub.get(secret))
    await hub.delete(secret, {})
    await advance(1.2 * tenMinutes)
    assert.ok(await hub.get(secret), 'it is installed again')
    assert.equal((await read('a'))?.status?.history?.[0]?.version, 1)
    await advance(2 * tenMinutes)

    const { data, ...rest } = (await hub.get<KubernetesObject>(inHub('Secret', 'sh.helm.release.v1.b.v1')))!
    const other = (await hub.get<KubernetesObject>(secret))!.data
    assert.ok(data)
    await hub.patch(inHub('Secret', rest.metadata.name), { type: 'merge', patch: { data: other } }, author)
    await advance(1.2 * tenMinutes)
    assert.equal((await read('b'))?.status?.history?.[0]?.version, 2, 'what is not as it was recorded is upgraded once')
  }))

test('a new version of the chart and a new spec do not wait for the visit', () =>
  atRest(['a', 'b'], async ({ hub, publish, settle, read, advance, passes }) => {
    await publish('1.1.0')
    assert.equal((await read('a'))?.status?.history?.[0]?.chartVersion, '1.1.0')
    const { data } = (await hub.get<KubernetesObject>(inHub('ConfigMap', 'b')))!
    assert.deepEqual(data, { version: '1.1.0', greeting: 'hello' })
    await hub.patch(releaseRef('b'), { type: 'merge', patch: { spec: { values: { greeting: 'hi' } } } }, author)
    await settle()
    assert.equal((await read('b'))?.status?.history?.[0]?.version, 3)
    await advance(1.2 * tenMinutes)
    const looked = passes.length
    await advance(3 * tenMinutes)
    assert.equal(passes.length, looked, 'they are at rest again')
  }))

test('a member that is suspended or deleted leaves the visit', () =>
  atRest(['a', 'b', 'c'], async ({ hub, settle, advance, platform, read }) => {
    await hub.patch(releaseRef('a'), { type: 'merge', patch: { spec: { suspend: true } } }, author)
    await hub.delete(releaseRef('b'), {})
    await settle()
    await advance(1.2 * tenMinutes)
    assert.equal(await read('b'), undefined)
    assert.deepEqual(
      (await platform.visits.read(visit))!.members.map(({ ref }) => ref.name),
      ['c'],
    )
  }))

test('a HelmChart that is what its release wants is applied in no further dry run', () => {
  const requests: string[] = []
  return onStage({ cluster: told(requests) }, async scene => {
    const { advance, hub, visited } = scene
    const chart = { spec: { chart: 'app', sourceRef: { kind: 'HelmRepository', name: 'charts' } } } as const
    await scene.release('a', { chart })
    await scene.publish('1.0.0', 'default-a')
    await advance(3.5 * tenMinutes)
    const applied = () => requests.filter(request => /(dry run|apply) HelmChart/.test(request))
    visited.splice(0)
    requests.splice(0)
    await advance(2.2 * tenMinutes)
    assert.ok(visited.some(({ unchanged }) => unchanged.length === 1))
    assert.deepEqual(applied(), [])
    const ref = { group: 'source.toolkit.fluxcd.io', kind: 'HelmChart', namespace: 'default', name: 'default-a' }
    const patch = { metadata: { labels: { 'helm.toolkit.fluxcd.io/name': 'other' } } }
    await hub.patch(ref, { type: 'merge', patch }, author)
    await advance(1.2 * tenMinutes)
    assert.notDeepEqual(applied(), [], 'another version of it is')
    const { labels } = (await hub.get<KubernetesObject>(ref))!.metadata
    assert.equal(labels?.['helm.toolkit.fluxcd.io/name'], 'a')
  })
})
