import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import { ClusterError } from '../../../../lib/clusters/client/client.ts'
import { type KubernetesObject, type ObjectRef, refKey, refOf } from '../../../../lib/foundations/kinds/object.ts'
import { isFluxKind } from '../../../../lib/foundations/rules/hub-placement.ts'
import { sharedReferences } from '../../../../lib/reconcile/applied-objects/shared-references.ts'
import { WouldWrite } from '../../../../lib/reconcile/runtime/dry-run.ts'

const secret = (namespace: string, value: string, more: object = {}): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'key', namespace, ...more },
    stringData: { value },
  }) as unknown as KubernetesObject
const source = {
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
  metadata: { name: 'app', namespace: 'prod-apps' },
  spec: { url: 'https://example.com', interval: '1h', secretRef: { name: 'key' } },
} as unknown as KubernetesObject
const call = { signal: new AbortController().signal }

/** What is on the hub, beside a cluster that has some objects; the account may write Secrets of its namespace there, and no others. */
const scene = (onHub: readonly KubernetesObject[], onCluster: readonly KubernetesObject[]) => {
  const store = new Map(onHub.map(object => [refKey(refOf(object)), object]))
  const reading = (objects: ReadonlyMap<string, KubernetesObject>) => ({
    get: async (_: string, ref: ObjectRef) => objects.get(refKey(ref)),
  })
  const writer = {
    ...reading(store),
    apply: async (object: KubernetesObject) => store.set(refKey(refOf(object)), object) && object,
    delete: async (_: string, ref: ObjectRef) => void store.delete(refKey(ref)),
  } as unknown as ClusterClient
  const shared = sharedReferences({
    inherited: {
      reference: { kind: 'Secret', namespace: 'clusters', name: 'prod' },
      setOn: 'Namespace',
      namespace: 'apps',
      prefix: 'prod-',
    },
    isOfHub: isFluxKind,
    namespaces: {
      requireOwn: async name => {
        if (name === 'prod-foreign') throw new ClusterError('forbidden', 'is for no cluster')
        return true
      },
    },
    writer,
    cluster: reading(new Map(onCluster.map(object => [refKey(refOf(object)), object]))) as unknown as ClusterClient,
    allowed: async (_, { namespace }) => {
      if (namespace !== 'prod-apps') throw new ClusterError('forbidden', `may not patch in ${namespace}`)
    },
    hasReferrers: async () => true,
  })
  const value = (namespace: string) => {
    const { data } = (store.get(refKey(refOf(secret(namespace, '')))) ?? {}) as { data?: { value?: string } }
    return data?.value && Buffer.from(data.value, 'base64').toString()
  }
  return { shared, value }
}

test('what a source refers to is copied from the build, else from the cluster, and goes when it is gone there', async () => {
  const built = scene([], [secret('apps', 'cluster')])
  assert.equal(await built.shared.ofBuild([source, secret('apps', 'build')], { ...call, isDryRun: false }), true)
  assert.equal(built.value('prod-apps'), 'build')

  const there = scene([], [secret('apps', 'cluster')])
  assert.equal(await there.shared.ofBuild([source], { ...call, isDryRun: false }), true)
  assert.equal(there.value('prod-apps'), 'cluster')

  const copy = secret('prod-apps', 'old', { annotations: { 'keelson.dev/copied-from': 'Secret/clusters/prod' } })
  const gone = scene([copy], [])
  assert.equal(await gone.shared.ofBuild([source], { ...call, isDryRun: false }), false)
  assert.equal(gone.value('prod-apps'), undefined)
})

test('what somebody put on the hub himself stays as it is', async () => {
  const own = { ...secret('prod-apps', ''), data: { value: Buffer.from('own').toString('base64') } }
  const { shared, value } = scene([own as KubernetesObject], [secret('apps', 'cluster')])
  assert.equal(await shared.ofBuild([source, secret('apps', 'build')], { ...call, isDryRun: false }), true)
  assert.equal(value('prod-apps'), 'own')
})

test('a dry run copies nothing, and says that a pass is needed', async () => {
  const { shared, value } = scene([], [secret('apps', 'cluster')])
  await assert.rejects(shared.ofBuild([source], { ...call, isDryRun: true }), WouldWrite)
  assert.equal(value('prod-apps'), undefined)
})

test('a build brings no data to a namespace that its account may not write to', async () => {
  const elsewhere = { ...source, metadata: { name: 'app', namespace: 'prod-other' } }
  const { shared, value } = scene([], [])
  await assert.rejects(
    shared.ofBuild([elsewhere, secret('other', 'planted')], { ...call, isDryRun: false }),
    /may not patch in prod-other/,
  )
  assert.equal(value('prod-other'), undefined)
})

test('what has changed is copied to namespaces of the cluster, and passes by others of such a name', async () => {
  const { shared, value } = scene([], [])
  const objects = [secret('apps', 'new'), secret('foreign', 'new')]
  const changes = objects.map(object => ({ ref: refOf(object), action: 'configured' as const }))
  await shared.ofChanges(objects, changes as never, call)
  assert.equal(value('prod-apps'), 'new')
  assert.equal(value('prod-foreign'), undefined)
})
