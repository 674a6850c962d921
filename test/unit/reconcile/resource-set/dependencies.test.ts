import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { Impersonation } from '../../../../lib/clusters/client/kubeconfig.ts'
import type { ResourceSetDependency } from '../../../../lib/foundations/kinds/resource-set.ts'
import { author, configMap, group, onStage, type Scene, setRef } from './scene.ts'

const resources = [configMap('cm')]
const onConfigMap = (more: Partial<ResourceSetDependency> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'dep',
  namespace: 'default',
  ...more,
})
const ready = 'Ready=True ReconciliationSucceeded: Reconciliation finished in ...'
const last = async (scene: Scene) => (await scene.conditions()).at(-1)
const waits = (problem: string) => `Ready=False DependencyNotReady: Retrying dependency check: dependency ${problem}`

test('RS-082 RS-089 RS-090 RS-119 waits for an object, checking every five seconds, and reports it once', () =>
  onStage({}, async scene => {
    await scene.apply({ resources, dependsOn: [onConfigMap()] })
    const problem = 'v1/ConfigMap/default/dep not found: configmaps "dep" not found'
    assert.deepEqual(await scene.conditions(), [
      'Reconciling=True ProgressingWithRetry: Reconciliation in progress',
      waits(problem),
    ])
    const passes = scene.passes.length
    await scene.advance(20_500)
    assert.equal(scene.passes.length - passes, 4)
    assert.deepEqual(await scene.events(), [
      `Normal DependencyNotReady 1x: Retrying dependency check: dependency ${problem}`,
    ])
    const errors = scene.lines.filter(({ msg, error }) => msg === 'reconciled' && error !== undefined)
    assert.deepEqual(errors, [], 'a wait is no error in the log')
    await scene.create(configMap('dep'))
    await scene.advance(6_000)
    assert.equal(await last(scene), ready)
  }))

test('RS-083 with ready, waits for the object to be ready; a ResourceSet for its latest generation', () =>
  onStage({}, async scene => {
    const other = { apiVersion: `${group}/v1`, kind: 'ResourceSet', metadata: { name: 'other', namespace: 'default' } }
    await scene.hub.create(
      { ...other, spec: { dependsOn: [onConfigMap()], resources: [configMap('of-other')] } },
      author,
    )
    await scene.settle()
    const dependency = {
      apiVersion: `${group}/v1`,
      kind: 'ResourceSet',
      name: 'other',
      namespace: 'default',
      ready: true,
    }
    await scene.apply({ resources, dependsOn: [dependency] })
    assert.equal(await last(scene), waits(`${group}/v1/ResourceSet/default/other not ready: status InProgress`))
    await scene.create(configMap('dep'))
    await scene.advance(6_000)
    assert.equal(await last(scene), ready)
  }))

test('RS-084 RS-085 RS-086 an expression over the fields of the object must hold, too', () =>
  onStage({}, async scene => {
    const secret = { group: '', kind: 'Secret', namespace: 'default', name: 'gate' }
    await scene.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'gate', namespace: 'default' },
      data: { k: Buffer.from('wait').toString('base64') },
    })
    const readyExpr = "string(base64.decode(data.k)) == 'go'"
    const dependency = { ...onConfigMap({ kind: 'Secret', name: 'gate', ready: true }), readyExpr }
    await scene.apply({ resources, dependsOn: [dependency] })
    assert.equal(await last(scene), waits(`v1/Secret/default/gate not ready: expression '${readyExpr}'`))
    await scene.hub.patch(
      secret,
      { type: 'merge', patch: { data: { k: Buffer.from('go').toString('base64') } } },
      author,
    )
    await scene.advance(6_000)
    assert.equal(await last(scene), ready)
  }))

test('RS-087 RS-123 a malformed expression stalls, until the spec changes', () =>
  onStage({}, async scene => {
    await scene.apply({ resources, dependsOn: [onConfigMap({ ready: true, readyExpr: 'data.(' })] })
    const [stalled, notReady] = await scene.conditions()
    assert.match(
      stalled!,
      /^Stalled=True InvalidCELExpression: Reconciliation failed terminally due to configuration error: failed to parse expression for dependency v1\/ConfigMap\/default\/dep: failed to parse the CEL expression 'data.\('/,
    )
    assert.match(notReady!, /^Ready=False InvalidCELExpression/)
    const passes = scene.passes.length
    await scene.advance(3 * 3_600_000)
    assert.equal(scene.passes.length, passes)
    await scene.apply({ resources })
    assert.equal(await last(scene), ready)
  }))

test('RS-088 an expression that fails for what is there now is tried again', () =>
  onStage({}, async scene => {
    await scene.create(configMap('dep'))
    await scene.apply({ resources, dependsOn: [onConfigMap({ ready: true, readyExpr: "data.missing == 'x'" })] })
    assert.match((await last(scene))!, /^Ready=False DependencyNotReady: Retrying dependency check: .*missing/)
    await scene.change({ group: '', kind: 'ConfigMap', namespace: 'default', name: 'dep' }, { data: { missing: 'x' } })
    await scene.advance(6_000)
    assert.equal(await last(scene), ready)
  }))

test('RS-091 an expression sees no copy in an annotation, and of a Secret of another namespace no data', () =>
  onStage({}, async scene => {
    const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } })
    const annotations = { [lastApplied]: '{}' }
    for (const namespace of ['default', 'other'])
      await scene.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's', namespace, annotations },
        data: {},
      })
    const holds = async (namespace: string, readyExpr: string) => {
      await scene.apply({
        resources,
        dependsOn: [onConfigMap({ kind: 'Secret', name: 's', namespace, ready: true, readyExpr })],
      })
      return (await last(scene)) === ready
    }
    assert.equal(await holds('default', `!('${lastApplied}' in metadata.annotations)`), true)
    assert.equal(await holds('default', 'has(data.x)'), false)
    assert.equal(await holds('other', 'data.size() >= 0'), false)
  }))

test('RS-092 a dependency may be an object of a remote cluster', async () => {
  const asked: string[] = []
  await onStage(
    {
      cluster: (hub, _, isRemote) => ({
        ...hub,
        get: (apiVersion, ref, options) => {
          if (isRemote && ref.name === 'dep') asked.push(`${apiVersion} ${ref.kind}/${ref.name}`)
          return hub.get(apiVersion, ref, options)
        },
      }),
    },
    async scene => {
      const kubeconfig = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'remote', namespace: 'default' } }
      await scene.create({ ...kubeconfig, data: { value: Buffer.from('apiVersion: v1').toString('base64') } })
      await scene.create(configMap('dep'))
      const annotations = { 'resourceset.keelson.dev/kubeConfig': 'remote' }
      await scene.apply({ resources, dependsOn: [onConfigMap()] }, annotations)
      assert.equal(await last(scene), ready)
      assert.deepEqual(asked, ['v1 ConfigMap/dep'])
      await scene.change(setRef, { metadata: { annotations: { 'resourceset.keelson.dev/kubeConfig': 'gone' } } })
      await scene.change(setRef, { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } } })
      assert.match(
        (await last(scene))!,
        /unable to read KubeConfig secret 'default\/gone' error: secrets "gone" not found/,
      )
    },
  )
})

/** The hub, which lets a ServiceAccount get objects of its own namespace only. */
const confining = (hub: ClusterClient, impersonate?: Impersonation): ClusterClient => ({
  ...hub,
  get: async (apiVersion, ref, options) => {
    if (impersonate && ref.namespace !== 'default') throw new ClusterError('forbidden', `User can't get ${ref.name}`)
    return hub.get(apiVersion, ref, options)
  },
})

test('an expression over an object of another namespace needs the right to get it; without, it reads as missing', () =>
  onStage({ cluster: confining }, async scene => {
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } })
    await scene.create({ ...configMap('dep', { k: 'hush' }), metadata: { name: 'dep', namespace: 'other' } })
    const waitsFor = async (more: Partial<ResourceSetDependency>) => {
      await scene.apply({
        resources,
        dependsOn: [onConfigMap({ namespace: 'other', ...more })],
        serviceAccountName: 'app',
      })
      return last(scene)
    }
    const orForbidden = "or the ServiceAccount 'default/app' may not get it"
    for (const name of ['dep', 'missing'])
      assert.equal(
        await waitsFor({ name, ready: true, readyExpr: "data.k == 'hush'" }),
        waits(`v1/ConfigMap/other/${name} not found: configmaps "${name}" not found, ${orForbidden}`),
      )
    assert.equal(await waitsFor({ ready: true }), ready) // whether it is there and ready anybody may know, as in Flux
  }))

test('where no account acts, an expression may be over any object, as in flux-operator', () =>
  onStage({ cluster: confining }, async scene => {
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } })
    await scene.create({ ...configMap('dep', { k: 'hush' }), metadata: { name: 'dep', namespace: 'other' } })
    const holds = onConfigMap({ namespace: 'other', ready: true, readyExpr: "data.k == 'hush'" })
    await scene.apply({ resources, dependsOn: [holds] })
    assert.equal(await last(scene), ready)
  }))

test('an expression that fails does not quote values of the object', () =>
  onStage({}, async scene => {
    await scene.create(configMap('dep', { k: 'hush' }))
    const readyExpr = "data[data.k] == 'x'"
    await scene.apply({ resources, dependsOn: [onConfigMap({ ready: true, readyExpr })] })
    const failed = `failed to evaluate the CEL expression '${readyExpr}': no such key`
    assert.equal(await last(scene), `Ready=False DependencyNotReady: Retrying dependency check: ${failed}`)
  }))
