import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { changerIn, changerKeys, hubController } from '../../../../lib/hub/store/changers.ts'
import { apiWorld } from '../apiserver/world.ts'
import { kustomization } from './world.ts'

const path = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations'
const jane = { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' }

test('the hub knows who made the generation of a unit, whatever the verb, and shows it in no object', async () => {
  const { send, hub } = await apiWorld()
  const stored = async () => (await hub.get<KubernetesObject>(ref))!
  const changer = async () => hub.changedBy(await stored())
  const patch = (body: object, headers: Readonly<Record<string, string>> = {}, type = 'application/merge-patch+json') =>
    send('PATCH', `${path}/app${type.includes('apply') ? '?fieldManager=git&force=true' : ''}`, { body, type, headers })

  const created = await send('POST', path, { body: kustomization('app') })
  assert.equal(await changer(), 'kubernetes-admin')
  const first = created.json as KubernetesObject
  assert.equal(JSON.stringify(await stored()).includes('kubernetes-admin'), false)

  await patch({ spec: { interval: '7m' } }, jane)
  assert.equal(await changer(), 'jane')
  assert.equal(await hub.changedBy(first), undefined, 'not of an earlier generation')
  // What changes nothing of the spec makes no generation.
  await patch({ metadata: { annotations: { other: 'x' } } })
  await hub.patch(
    ref,
    { type: 'merge', patch: { status: { observedGeneration: 2 } } },
    { fieldManager: 'x', subresource: 'status' },
  )
  assert.equal(await changer(), 'jane')

  const { apiVersion, kind, metadata, spec } = await stored()
  const applied = { apiVersion, kind, metadata: { name: metadata.name }, spec: { ...(spec as object), interval: '8m' } }
  await patch(applied, {}, 'application/apply-patch+yaml')
  assert.equal(await changer(), 'kubernetes-admin')
  const { resourceVersion } = (await stored()).metadata
  const replaced = { ...applied, metadata: { ...applied.metadata, resourceVersion }, spec }
  await send('PUT', `${path}/app`, { body: replaced, headers: jane })
  assert.equal(await changer(), 'jane')

  // The hub itself is nobody.
  await hub.patch(ref, { type: 'merge', patch: { spec: { interval: '10m' } } }, { fieldManager: 'test' })
  assert.equal(await changer(), undefined)

  // A deletion is a generation of its own.
  await patch({ metadata: { finalizers: ['example.com/held'] } })
  assert.equal((await send('DELETE', `${path}/app`, { headers: jane })).status, 200)
  assert.equal(await changer(), 'jane')
  assert.equal((await send('DELETE', `${path}/app`)).status, 200)
  assert.equal(await changer(), 'jane')
})

const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'app' }

test('what a unit applies to the hub is attributed to the unit, by the labels that it sets', () => {
  const labels = { 'kustomize.toolkit.fluxcd.io/name': 'root', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' }
  const object = (apiVersion: string, kind: string) => ({ apiVersion, kind, metadata: { name: 'app', labels } })
  const unit = object('kustomize.toolkit.fluxcd.io/v1', 'Kustomization')
  const by = (user: string) => changerIn(changerKeys(unit, undefined, user))
  assert.equal(by(hubController), 'Kustomization flux-system/root')
  // A user who writes such labels is named.
  assert.equal(by('system:serviceaccount:apps:deployer'), 'system:serviceaccount:apps:deployer')
  for (const other of [object('v1', 'ConfigMap'), object('example.com/v1', 'Kustomization')])
    assert.deepEqual(changerKeys(other, undefined, 'jane'), [])
})
