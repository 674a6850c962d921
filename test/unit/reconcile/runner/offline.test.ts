import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kustomization } from '../../../../lib/foundations/kinds/kustomization.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import { refOf } from '../../../../lib/foundations/kinds/object.ts'
import { createOffline, offlineMsOf } from '../../../../lib/reconcile/runner/offline.ts'

const entry = (name: string) => ({ id: `default_${name}__ConfigMap`, v: 'v1' })

const unit = (status: object = {}, metadata: object = {}): Kustomization =>
  ({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { namespace: 'ships', name: 'app', uid: 'u', generation: 2, ...metadata },
    spec: { interval: '1h', prune: true, sourceRef: { kind: 'GitRepository', name: 'fleet' } },
    status: {
      observedGeneration: 2,
      lastAppliedRevision: 'main@sha1:1',
      inventory: { entries: [entry('a')] },
      ...status,
    },
  }) as Kustomization

/** A runner whose hub has been silent for a minute, and which may work alone for an hour. */
const scene = (found: KubernetesObject = unit()) => {
  const it = {
    ...{ isHeld: false, silentMs: 60_000 as number | undefined, allowedMs: 3_600_000, isOurs: true },
    ...{ newest: 'main@sha1:1', reported: [] as unknown[], events: 0 },
  }
  const offline = createOffline({
    session: {
      isHeld: () => it.isHeld,
      silentMs: () => it.silentMs,
      report: async (_, change) => void it.reported.push(change),
      event: async () => void it.events++,
    },
    claim: { isOurs: async () => it.isOurs },
    allowedMs: () => it.allowedMs,
    hub: { get: async <T extends KubernetesObject>() => found as T },
    isAtRevision: async (_, revision) => revision === it.newest,
  })
  return { it, offline, ref: refOf(found) }
}

test('without the hub a runner works as long as the Cluster says, and only if the cluster is its own', async () => {
  const { it, offline, ref } = scene()
  assert.equal(await offline.mayHandle(ref), true)
  it.isOurs = false
  assert.equal(await offline.mayHandle(ref), false, 'another runner has come')
  it.isOurs = true
  it.silentMs = 3_600_000
  assert.deepEqual([offline.isOn(), await offline.mayHandle(ref)], [false, false])
  it.silentMs = undefined
  assert.equal(offline.isOn(), false, 'it was revoked, or never had a copy')
  it.silentMs = 0
  it.isHeld = true
  assert.equal(offline.isOn(), false, 'the hub is there')
  const spec = { kubeConfig: { configMapRef: { name: 'aurora' } } }
  assert.equal(offlineMsOf({ spec } as never), 0)
  assert.equal(offlineMsOf({ spec: { ...spec, runner: { offline: '36h' } } } as never), 36 * 3_600_000)
})

test('without the hub only what is applied is applied again', async () => {
  const may = async (found: KubernetesObject, newest = 'main@sha1:1') => {
    const { it, offline, ref } = scene(found)
    it.newest = newest
    return offline.mayHandle(ref)
  }
  assert.equal(await may(unit()), true)
  assert.equal(await may(unit(), 'main@sha1:2'), false, 'another revision')
  assert.equal(await may(unit({ lastAppliedRevision: undefined })), false, 'nothing was applied')
  assert.equal(await may(unit({ observedGeneration: 1 })), false, 'another spec')
  assert.equal(await may(unit({}, { deletionTimestamp: '2026-11-28T21:00:00Z' })), false, 'a deletion')
  assert.equal(await may({ ...unit(), apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' }), false)
  const undo = (text: string) => ({ annotations: { 'keelson.dev/undo': text } })
  const [older, newer] = ['a', 'b'].map(letter => `sha256:${letter.repeat(64)}`)
  const applied = { history: [{ digest: older }], lastAppliedRevision: 'main@sha1:0' }
  assert.equal(await may(unit(applied, undo(older!))), true, 'it is undone, and a newer revision waits')
  assert.equal(await may(unit(applied, undo(newer!))), false, 'an undo that has not been applied')
  const failed = (revision: string) => may(unit(applied, undo(`${older} ${newer} 2 ${revision}`)))
  assert.deepEqual([await failed('main@sha1:1'), await failed('main@sha1:0')], [true, false], 'it went back by itself')
  const visit: ObjectRef = { group: 'visits', kind: 'Visit', namespace: '', name: 'apply' }
  assert.equal(await scene().offline.mayHandle(visit), true)
})

test('a status is kept while the hub is away, unless the hub must know first what it says', async () => {
  const { it, offline } = scene()
  await offline.report(unit(), { status: unit().status })
  await offline.report(unit(), { status: { inventory: { entries: [] } } })
  const grown = { inventory: { entries: [entry('a'), entry('b')] } }
  await assert.rejects(offline.report(unit(), { status: grown }), /does not know .* default_b__ConfigMap/)
  assert.deepEqual(it.reported, [])
  await offline.event(unit(), { component: 'c', occurrence: { severity: 'info', reason: 'A', message: 'b' } })
  assert.equal(it.events, 0)
  await offline.report(unit(), { finalized: true })
  await offline.report(unit(), { goesBack: null })
  it.isHeld = true
  await offline.report(unit(), { status: grown })
  assert.deepEqual(
    it.reported,
    [{ finalized: true }, { goesBack: null }, { status: grown }],
    'the session refuses the first two, as it has no lease',
  )
})
