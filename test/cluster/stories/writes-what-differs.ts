import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyAll } from '../../../lib/clusters/apply/apply-all.ts'
import type { ClusterClient } from '../../../lib/clusters/client/client.ts'
import { inventoryEntry } from '../../../lib/foundations/rules/inventory.ts'
import { type ApplyBed, clock, labels, managers, owner } from '../apply-bed.ts'
import { deployment } from '../manifests.ts'

/** What is written, and at how many requests. */
export function writesWhatDiffers({ bed, target, space, apply }: ApplyBed): void {
  test('KS-272, KS-276 creates objects with owner labels, under one field manager', async () => {
    const { configMap, live, namespace } = await space()
    assert.deepEqual(await apply([configMap('b'), configMap('a')]), [
      `ConfigMap/${namespace}/a created`,
      `ConfigMap/${namespace}/b created`,
    ])
    const a = await live('configmap', 'a')
    assert.deepEqual(
      [a.data, a.metadata.labels, managers(a)],
      [{ key: 'value' }, labels, ['kustomize-controller/Apply']],
    )
  })

  test('KS-253 (finding 26.20) applies an object that stays encrypted, without what sops keeps beside it', async () => {
    const { object, live } = await space()
    const disabled = { annotations: { 'kustomize.toolkit.fluxcd.io/decrypt': 'Disabled' } }
    const sops = { mac: 'ENC[AES256_GCM,data:x]', lastmodified: '2026-01-01T00:00:00Z', version: '3.9.0' }
    const cipher = 'ENC[AES256_GCM,data:y]'
    const encrypted = [
      object('v1', 'Secret', 'app.sops', { stringData: { token: cipher }, sops }, disabled),
      object('v1', 'ConfigMap', 'app', { data: { token: cipher }, sops }, disabled),
    ]
    assert.deepEqual((await apply(encrypted)).length, 2)
    assert.ok((await apply(encrypted)).every(line => line.endsWith(' unchanged')))
    assert.deepEqual(((await live('Secret', 'app.sops')) as { data?: unknown }).data, {
      token: Buffer.from(cipher).toString('base64'),
    })
  })

  test('writes nothing, and needs one list per kind, when nothing has changed', async () => {
    const { configMap, object, live } = await space()
    const objects = [
      configMap('a'),
      configMap('b'),
      object('v1', 'Secret', 's', { stringData: { k: 'hidden' } }),
      object('v1', 'Secret', 't', { data: { k: 'aGlk\nZGVu' } }),
      deployment(object, 'web'),
      deployment(object, 'api'),
    ]
    await apply(objects, { recorded: new Set() })
    const before = await live('deployment', 'web')
    const { requests, counted } = counting(target)
    const { changes } = await applyAll(counted, objects, {
      fieldManager: 'kustomize-controller',
      owner,
      recorded: new Set(objects.map(object => inventoryEntry(object).id)),
      clock,
    })
    assert.deepEqual(new Set(changes.map(({ action }) => action)), new Set(['unchanged']))
    assert.deepEqual(requests, { list: 3 })
    assert.deepEqual((await live('deployment', 'web')).spec, before.spec)
  })

  test('KS-277, KS-289 reverts what others changed and removes what left the manifest', async () => {
    const { configMap, live, patch, namespace } = await space()
    await apply([configMap('a', { key: 'value', old: 'x' }), configMap('b')])
    await patch('configmap', 'a', { data: { key: 'drifted', extra: 'theirs' } }, 'tool-x')
    assert.deepEqual(await apply([configMap('a'), configMap('b')]), [
      `ConfigMap/${namespace}/a configured`,
      `ConfigMap/${namespace}/b unchanged`,
    ])
    const a = await live('configmap', 'a')
    assert.deepEqual(
      [a.data, managers(a)],
      [{ key: 'value', extra: 'theirs' }, ['kustomize-controller/Apply', 'tool-x/Update']],
    )
  })

  test('recreates what was deleted by hand, owner labels that were removed, objects of the same name that are not ours', async () => {
    const { configMap, namespace } = await space()
    await apply(['a', 'b', 'c'].map(name => configMap(name)))
    await bed.kubectl('-n', namespace, 'delete', 'configmap', 'a')
    await bed.kubectl('-n', namespace, 'label', 'configmap', 'b', 'kustomize.toolkit.fluxcd.io/name-')
    await bed.kubectl('-n', namespace, 'create', 'configmap', 'd', '--from-literal=key=theirs')
    assert.deepEqual(await apply(['a', 'b', 'c', 'd'].map(name => configMap(name))), [
      `ConfigMap/${namespace}/a created`,
      `ConfigMap/${namespace}/b configured`,
      `ConfigMap/${namespace}/c unchanged`,
      `ConfigMap/${namespace}/d configured`,
    ])
  })

  test('more objects than a page holds take two requests each to create and one list to verify', async () => {
    const { configMap } = await space()
    const objects = Array.from({ length: 520 }, (_, index) => configMap(`c${index}`))
    const { requests, counted } = counting(target)
    const options = { fieldManager: 'kustomize-controller', owner, clock }
    const first = await applyAll(counted, objects, { ...options, recorded: new Set() })
    assert.deepEqual([first.changes.length, requests], [520, { apply: 1040 }])
    const recorded = new Set(objects.map(object => inventoryEntry(object).id))
    const second = await applyAll(counted, objects, { ...options, recorded })
    assert.deepEqual(requests, { apply: 1040, list: 1 })
    assert.ok(second.changes.every(({ action }) => action === 'unchanged'))
  })
}

/** The client, with its requests counted by method. */
const counting = (cluster: ClusterClient) => {
  const requests: Record<string, number> = {}
  const count =
    <A extends unknown[], R>(name: string, method: (...args: A) => R) =>
    (...args: A): R => {
      requests[name] = (requests[name] ?? 0) + 1
      return method(...args)
    }
  const counted: ClusterClient = {
    ...cluster,
    get: count('get', cluster.get),
    list: count('list', cluster.list),
    apply: count('apply', cluster.apply),
    create: count('create', cluster.create),
    patch: count('patch', cluster.patch),
    delete: count('delete', cluster.delete),
  }
  return { requests, counted }
}
