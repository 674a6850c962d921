import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { Impersonation } from '../../../../lib/clusters/client/kubeconfig.ts'
import type { Comparison } from '../../../../lib/foundations/fleet/comparison.ts'
import { isFluxKind } from '../../../../lib/foundations/rules/hub-placement.ts'
import { compareResourceSet } from '../../../../lib/reconcile/resource-set/compare.ts'
import { defaultResourceSetSettings } from '../../../../lib/reconcile/resource-set/settings.ts'
import { dryRunPass } from '../../../../lib/reconcile/runtime/dry-run-pass.ts'
import { unsharedReads } from '../../../../lib/reconcile/runtime/shared-reads.ts'
import { hubAsCluster } from '../world.ts'
import { configMap, onStage, type Scene } from './scene.ts'
import { object, stored, template, tenants } from './sets.ts'

type HubCluster = (impersonate?: Impersonation) => ClusterClient

const compare = async (
  { ports, platform, read }: Scene,
  hubCluster: HubCluster = () => hubAsCluster(ports),
): Promise<Comparison | undefined> => {
  const { signal } = new AbortController()
  const pass = { signal, startedAt: 0, dryRun: unsharedReads(signal), confine: async (one: ClusterClient) => one }
  return compareResourceSet((await read())!, dryRunPass(pass), {
    ...{ ...platform, references: ports.references, hubCluster, settings: defaultResourceSetSettings },
    clusters: { fromKubeconfig: () => hubCluster(), fromConfigMap: async () => hubCluster() },
    ...{ isOfHub: isFluxKind, hasReferrers: async () => false },
  })
}

const login = {
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: 'default' } },
  stringData: { password: 'planted-password' },
}

test('a comparison renders a set again and finds what was changed and deleted since, and writes nothing', () =>
  onStage({}, async scene => {
    const steps = [
      { name: 'first', resources: [login] },
      { name: 'second', resources: [template] },
    ]
    await scene.apply({ inputs: tenants, steps })
    const same = await compare(scene)
    const { lastAppliedRevision } = (await scene.read())!.status!
    assert.deepEqual(
      [same?.desired, same?.revision, same?.counts],
      ['AppliedLast', lastAppliedRevision, { unchanged: 3 }],
    )

    await scene.change(object('ConfigMap', 'cm-one'), { data: { n: 'by hand' } })
    await scene.change(object('Secret', 'login'), { stringData: { password: 'changed-password' } })
    await scene.hub.delete(object('ConfigMap', 'cm-two'), {})
    const writes = scene.changes.length
    const found = await compare(scene)
    assert.equal(scene.changes.length, writes)
    assert.deepEqual([found?.desired, found?.counts], ['AppliedLast', { created: 1, configured: 2 }])
    assert.deepEqual(
      found?.changes.map(({ kind, name, action, fields }) => [
        `${kind}/${name} ${action}`,
        ...(fields ?? []).map(({ path, before, after, manager }) => `${path}: ${before} -> ${after}, ${manager}`),
      ]),
      [
        ['Secret/login configured', 'data.password: *** -> ***, someone'],
        ['ConfigMap/cm-one configured', 'data.n: by hand -> 1, someone'],
        ['ConfigMap/cm-two created'],
      ],
    )
    for (const value of ['planted-password', 'changed-password'])
      for (const form of [value, Buffer.from(value).toString('base64')])
        assert.ok(!JSON.stringify(found).includes(form))
  }))

test('a comparison says if a set renders other objects now than it applied last', () =>
  onStage({}, async scene => {
    await scene.create(stored('ConfigMap', 'src', { data: { a: '1' } }))
    const annotations = { 'fluxcd.controlplane.io/copyFrom': 'default/src' }
    await scene.apply({ resources: [configMap('copy', {}, { annotations })] })
    assert.equal((await compare(scene))?.desired, 'AppliedLast')
    await scene.change(object('ConfigMap', 'src'), { data: { a: '2' } })
    const found = await compare(scene)
    assert.deepEqual([found?.desired, found?.counts], ['RenderedNow', { configured: 1 }])
    assert.notEqual(found?.revision, (await scene.read())!.status!.lastAppliedRevision)
    assert.equal(found?.changes[0]?.fields?.[0]?.after, '2')
  }))

test('a comparison acts as the ServiceAccount of the set, and lists what the cluster refuses it', () =>
  onStage({}, async scene => {
    await scene.apply({ inputs: tenants, resources: [template] })
    const serviceAccountName = 'tenant'
    await scene.change(
      { group: 'fluxcd.controlplane.io', kind: 'ResourceSet', namespace: 'default', name: 'app' },
      { spec: { serviceAccountName } },
    )
    await scene.change(object('ConfigMap', 'cm-one'), { data: { n: 'by hand' } })
    const users = new Set<string | undefined>()
    const found = await compare(scene, impersonate => ({
      ...hubAsCluster(scene.ports),
      apply: async () => {
        users.add(impersonate?.user)
        throw new ClusterError('forbidden', 'configmaps "cm-one" is forbidden: no patches here', { status: 403 })
      },
    }))
    assert.deepEqual([...users], ['system:serviceaccount:default:tenant'])
    assert.match(found?.refused.join() ?? '', /no patches here/)
    assert.deepEqual(found?.changes, [])
  }))

test('a set that can not be rendered is not compared, and the error says why', () =>
  onStage({}, async scene => {
    await scene.apply({ inputs: tenants, resources: [configMap('<< inputs.none >>')] })
    await assert.rejects(compare(scene), /build failed: .*none/)
  }))
