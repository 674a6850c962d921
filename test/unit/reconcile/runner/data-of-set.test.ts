/** Which Secrets and ConfigMaps of the hub a ResourceSet of a runner may copy. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { ResourceSet } from '../../../../lib/foundations/kinds/resource-set.ts'
import type { HubAs } from '../../../../lib/hub/references/read-dependency.ts'
import { createReferences } from '../../../../lib/hub/references/references.ts'
import { defaultResourceSetSettings } from '../../../../lib/reconcile/resource-set/settings.ts'
import { copiedSourcesBy } from '../../../../lib/reconcile/runner/copied-sources.ts'
import { dataOfHub } from '../../../../lib/reconcile/runner/data-of-hub.ts'
import { dataOfSets } from '../../../../lib/reconcile/runner/data-of-set.ts'
import { by, hubWorld } from '../../hub/store/world.ts'

const copying = (annotations: object, kind = 'Secret') => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'copy-<< inputs.name >>', namespace: 'apps', annotations },
})

const copyFrom = (from: string) => ({ 'fluxcd.controlplane.io/copyFrom': from })

const world = async (settings: object = {}, stored: Readonly<Record<string, object>> = {}) => {
  const { hub, platform, clock } = await hubWorld()
  const read: string[] = []
  const failed: string[] = []
  const refused = new Set<string>()
  const hubCluster: HubAs = as =>
    ({
      get: async (_: string, { kind, namespace, name }: ObjectRef): Promise<KubernetesObject | undefined> => {
        read.push(`${as?.user ?? 'hub'} ${kind}/${namespace}/${name}`)
        if (refused.has(name)) throw new ClusterError('forbidden', `secrets "${name}" is forbidden`, { status: 403 })
        if (name === 'missing') return undefined
        return { apiVersion: 'v1', kind, metadata: { namespace, name }, ...stored[`${namespace}/${name}`] }
      },
    }) as ClusterClient
  const references = createReferences(hub)
  const rendering = copiedSourcesBy({
    references,
    clock,
    random: platform.random,
    settings: defaultResourceSetSettings,
  })
  const rendered: string[] = []
  const dataOfSet = dataOfSets({
    copiedSources: set => {
      rendered.push(set.metadata.name)
      return rendering(set)
    },
    ...{ hubCluster, references, clock, settings },
    onError: error => void failed.push((error as Error).message),
  })
  const set = async (spec: object, name = 'web'): Promise<ResourceSet> =>
    hub.create<ResourceSet>(
      {
        apiVersion: 'fluxcd.controlplane.io/v1',
        kind: 'ResourceSet',
        metadata: {
          ...{ namespace: 'default', name },
          annotations: { 'resourceset.keelson.dev/kubeConfig': 'ConfigMap/aurora' },
        },
        spec: spec as ResourceSet['spec'],
      },
      by('test'),
    )
  const named = async (one: ResourceSet) =>
    (await dataOfSet(one)).map(({ object: { kind, metadata } }) => `${kind}/${metadata.namespace}/${metadata.name}`)
  return { hub, clock, set, named, dataOfSet, read, rendered, failed, refused }
}

test('what a set copies and sums up is what its templates render with its inputs, and nothing that it renders itself', async () => {
  const { set, named, read } = await world()
  const spec = {
    inputs: [{ name: 'a' }, { name: 'b' }],
    resources: [
      copying(copyFrom('keys/of-<< inputs.name >>')),
      {
        ...copying({}, 'Deployment'),
        apiVersion: 'apps/v1',
        spec: {
          template: {
            metadata: {
              annotations: {
                'fluxcd.controlplane.io/checksumFrom': 'ConfigMap/apps/env, Secret/apps/copy-<< inputs.name >>',
              },
            },
          },
        },
      },
    ],
  }
  const expected = ['Secret/keys/of-a', 'Secret/keys/of-b', 'ConfigMap/apps/env']
  assert.deepEqual(await named(await set(spec)), expected)
  assert.deepEqual(
    read,
    expected.map(name => `hub ${name}`),
  )
})

test('of a kubeconfig that a set converts, a runner gets the address and the authority of the cluster, unless it is copied as well', async () => {
  const encode = (text: string) => Buffer.from(text).toString('base64')
  const kubeconfig = `
clusters: [{name: a, cluster: {server: 'https://a', certificate-authority-data: ${encode('CA')}}}]
users: [{name: a, user: {token: token-of-a}}]
`
  const stored = { 'keys/a': { data: { value: encode(kubeconfig), other: encode('other') } } }
  const { set, dataOfSet } = await world({}, stored)
  const convert = { 'fluxcd.controlplane.io/convertKubeConfigFrom': 'keys/a' }
  const spec = { resources: [copying(convert, 'ConfigMap')], inputs: [{ name: 'a' }] }
  const [{ object, isWhole } = assert.fail()] = await dataOfSet(await set(spec))
  const { data } = object as unknown as { readonly data: Readonly<Record<string, string>> }
  assert.deepEqual([isWhole, Object.keys(data)], [false, ['value']])
  assert.deepEqual(JSON.parse(Buffer.from(data.value!, 'base64').toString()), {
    clusters: [{ cluster: { server: 'https://a', 'certificate-authority-data': encode('CA') } }],
  })
  const both = { ...spec, resources: [...spec.resources, copying(copyFrom('keys/a'))] }
  const [all = assert.fail()] = await dataOfSet(await set(both, 'both'))
  assert.deepEqual([all.isWhole, (all.object as object as { data: object }).data], [true, stored['keys/a'].data])
})

test('it is read as the account of the set: one that may not read it gets nothing', async () => {
  const { hub, set, named, read, refused } = await world({ defaultServiceAccount: 'robot' })
  const spec = { resources: [copying(copyFrom('keys/one'))], inputs: [{ name: 'a' }] }
  assert.deepEqual(await named(await set(spec)), ['Secret/keys/one'])
  await hub.create(
    {
      ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Cluster', metadata: { namespace: 'default', name: 'x' } },
      spec: { kubeConfig: { configMapRef: { name: 'aurora' } }, serviceAccountName: 'deployer' },
    } as KubernetesObject,
    by('test'),
  )
  refused.add('one')
  assert.deepEqual(await named(await set(spec, 'of-cluster')), [])
  assert.deepEqual(await named(await set({ ...spec, serviceAccountName: 'own' }, 'of-spec')), [])
  const account = (name: string) => `system:serviceaccount:default:${name} Secret/keys/one`
  assert.deepEqual(read, [account('robot'), account('deployer'), account('own')])
})

test('what a set may copy follows its spec and what its providers export, and it is rendered for these alone', async () => {
  const { hub, set, named, rendered } = await world()
  const spec = { inputsFrom: [{ name: 'keys' }], resources: [copying(copyFrom('keys/<< inputs.name >>'))] }
  const one = await set(spec)
  assert.deepEqual(await named(one), [], 'there is no provider yet')
  const provider = {
    ...{ apiVersion: 'fluxcd.controlplane.io/v1', kind: 'ResourceSetInputProvider' },
    ...{ metadata: { namespace: 'default', name: 'keys' }, spec: { type: 'Static' } },
  }
  await hub.create(provider, by('test'))
  const ref = { group: 'fluxcd.controlplane.io', kind: provider.kind, namespace: 'default', name: 'keys' }
  const exported = (...names: readonly string[]) => {
    const patch = { status: { exportedInputs: names.map(name => ({ name })) } }
    return hub.patch(ref, { type: 'merge', patch }, { ...by('test'), subresource: 'status' })
  }
  await exported('a')
  const before = rendered.length
  assert.deepEqual([await named(one), await named(one)], [['Secret/keys/a'], ['Secret/keys/a']])
  assert.equal(rendered.length, before + 1)
  const plain = await set({ resources: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }] }, 'plain')
  assert.deepEqual([await named(plain), rendered.includes('plain')], [[], false])
  await exported('a', 'b')
  assert.deepEqual(await named(one), ['Secret/keys/a', 'Secret/keys/b'])
  const resources = [copying(copyFrom('others/<< inputs.name >>'))]
  assert.deepEqual(await named({ ...one, spec: { ...one.spec, resources } }), ['Secret/others/a', 'Secret/others/b'])
})

test('a set that can not be rendered, or names a source in another form, gets nothing new, and the hub says why', async () => {
  const { clock, set, named, rendered, failed } = await world()
  const spec = (from: string) => ({ resources: [copying(copyFrom(from))], inputs: [{ name: 'a' }] })
  const failing = await set(spec('<< fail "no way" >>'), 'failing')
  assert.deepEqual([await named(failing), await named(failing)], [[], []], 'reported once')
  assert.equal(rendered.length, 1)
  await clock.advance(61_000)
  assert.deepEqual(await named(failing), [])
  assert.equal(rendered.length, 2, 'it is tried again')
  const one = await set(spec('keys/one'), 'one')
  assert.deepEqual(await named(one), ['Secret/keys/one'])
  assert.deepEqual(await named({ ...one, spec: failing.spec }), ['Secret/keys/one'], 'what is known stays')
  failed.pop()
  assert.deepEqual(await named(await set(spec('keys'), 'malformed')), [])
  assert.deepEqual(await named(await set(spec('keys/missing'), 'missing')), [])
  assert.equal(failed.length, 2)
  assert.match(failed[0]!, /no way/)
  assert.match(failed[1]!, /copyFrom annotation value 'keys' must be in the format 'namespace\/name'/)
})

test('in a runner, a set reads what the hub has handed out for it, and not what other units have', async () => {
  const { hub } = await hubWorld()
  const secret = (name: string) => ({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name } },
    data: { key: 'eA==' },
  })
  for (const name of ['own', 'of-others']) await hub.create(secret(name), by('test'))
  const set = {
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSet',
    metadata: { namespace: 'default', name: 'web' },
  } as unknown as ResourceSet
  const data = { 'fluxcd.controlplane.io|ResourceSet|default|web': ['Secret/default/own', 'Secret/default/gone'] }
  const { get } = dataOfHub(hub, () => ({ data }), set)
  const at = (name: string) => ({ group: '', kind: 'Secret', namespace: 'default', name })
  assert.equal((await get('v1', at('own')))?.metadata.name, 'own')
  assert.equal(await get('v1', at('gone')), undefined)
  assert.equal(await get('v1', at('of-others')), undefined)
  assert.equal(await get('v1', { ...at('own'), kind: 'ConfigMap' }), undefined)
})
