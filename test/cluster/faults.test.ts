import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { eventually } from '../bed/eventually.ts'
import { endWithTest } from '../bed/teardown.ts'
import { startBeds } from '../conformance/flux/beds.ts'
import { configMap, onStage, type Stage } from './kustomization-stage.ts'

/** What goes wrong between Keelson and a real cluster: all converges in the end, nothing wanted is pruned, all is told. */
const beds = endWithTest(await startBeds())
const { cluster } = beds.hub

const patience = { within: 60_000 }

const manifests = (names: readonly string[], value = '1') => ({
  'all.yaml': names.map(name => `${configMap(name, value)}---\n`).join(''),
})
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `m${String(at).padStart(3, '0')}`)

/** The objects of the stage's source that are there, with their values, sorted by name. */
const applied = async ({ cluster, namespace }: Stage): Promise<readonly (readonly [name: string, value: string])[]> => {
  const { items } = await cluster.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace })
  return (items as (KubernetesObject & { data?: { value?: string } })[])
    .filter(({ metadata }) => /^m\d/.test(metadata.name))
    .map(({ metadata, data }) => [metadata.name, data?.value ?? ''] as const)
    .sort()
}

const all = (names: readonly string[], value: string) => names.map(name => [name, value] as const)

const inventoryOf = async ({ read }: Stage, name = 'app') =>
  ((await read(name))?.status?.inventory?.entries ?? []).map(({ id }) => id.split('_')[1]!).sort()

for (const [what, strike] of Object.entries({
  'is killed, and starts again later': async () => {
    await cluster.stop()
    await sleep(1_000)
    return () => cluster.start()
  },
  'freezes for some seconds': async () => {
    await cluster.pause()
    await sleep(4_000)
    return () => cluster.resume()
  },
}))
  test(`converges when the API server ${what} in the middle of an apply`, async () => {
    const names = numbered(300)
    const revisions = [manifests(names.slice(0, 5)), manifests(names, '2')]
    await onStage(beds, { revisions }, async stage => {
      const { kustomize, becomes, push } = stage
      await kustomize('app')
      await becomes('app', 'True')
      const before = await stage.live('v1', 'ConfigMap', names[0]!)
      await push(2)
      await eventually(async () => assert.ok((await applied(stage)).length > 20), patience)
      const relieve = await strike()
      assert.deepEqual(await inventoryOf(stage), names, 'all that may be there is recorded')
      await relieve()
      await becomes('app', 'True', /./, 90_000)
      await eventually(async () => assert.deepEqual(await applied(stage), all(names, '2')), patience)
      assert.deepEqual(await inventoryOf(stage), names)
      assert.equal((await stage.live('v1', 'ConfigMap', names[0]!))?.metadata.uid, before?.metadata.uid)
    })
  })

test('reports a refused token and prunes nothing until there is a new one, which is used at once', async () => {
  const revisions = [manifests(['m1', 'm2']), manifests(['m1'], '2')]
  await onStage(beds, { revisions }, async stage => {
    const { kustomize, becomes, push, apply, namespace, events } = stage
    const grant = (account: string) => [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account } },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: account },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
        subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
      },
    ]
    const giveKubeconfigOf = async (account: string) => {
      await apply(...grant(account))
      const token = (await cluster.kubectl('create', 'token', account, '-n', namespace)).trim()
      const config = {
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: cluster.server, 'certificate-authority-data': '${HUB_CA_DATA}' } }],
        users: [{ name: 'u', user: { token } }],
      }
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'kubeconfig' } }
      await apply({ ...secret, stringData: { value: JSON.stringify(config) } })
      return token
    }
    const token = await giveKubeconfigOf('first')
    await kustomize('app', { kubeConfig: { secretRef: { name: 'kubeconfig' } } })
    await becomes('app', 'True')
    await cluster.kubectl('delete', 'serviceaccount', 'first', '-n', namespace)
    // The API server remembers for some seconds that the token was good.
    const isRefused = async () => {
      const asking = cluster.kubectl('--token', token, 'get', 'configmaps', '-n', namespace)
      await assert.rejects(asking, /Unauthorized|provide credentials/)
    }
    await eventually(isRefused, { ...patience, every: 1_000 })
    await push(2)
    await becomes('app', 'False', /asked for the client to provide credentials/)
    assert.deepEqual(await applied(stage), all(['m1', 'm2'], '1'))
    // Events come after the status that they tell of.
    await eventually(async () => {
      assert.ok((await events('app')).some(line => line.startsWith('Warning ReconciliationFailed:')))
    })
    await giveKubeconfigOf('second')
    await becomes('app', 'True', /./, 60_000)
    assert.deepEqual(await applied(stage), all(['m1'], '2'))
  })
})

test('records and reports what was applied when one object is refused at the write, and continues later', async () => {
  const names = ['m1', 'm2', 'm3']
  await onStage(beds, { revisions: [manifests(names), manifests(['m1'])] }, async stage => {
    const { kustomize, becomes, push, apply, namespace } = stage
    const policy = 'admissionregistration.k8s.io/v1'
    const metadata = { name: namespace }
    await apply(
      {
        apiVersion: policy,
        kind: 'ValidatingAdmissionPolicy',
        metadata,
        spec: {
          matchConstraints: {
            resourceRules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
            ],
          },
          validations: [{ expression: "object.metadata.name != 'm2' || request.dryRun", message: 'not for real' }],
        },
      },
      {
        apiVersion: policy,
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata,
        spec: {
          policyName: namespace,
          validationActions: ['Deny'],
          matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
        },
      },
    )
    await kustomize('app')
    const message = await becomes('app', 'False', /ConfigMap\/stage-.*\/m2 apply failed: .*not for real/)
    assert.match(message, /m1 created\n.*m3 created/)
    assert.deepEqual(await applied(stage), all(['m1', 'm3'], '1'))
    assert.deepEqual(await inventoryOf(stage), names, 'what was written is recorded, and what may have been')
    await cluster.kubectl('delete', 'validatingadmissionpolicybinding', namespace)
    await push(2)
    await eventually(async () => assert.deepEqual(await inventoryOf(stage), ['m1']), patience)
    await eventually(async () => assert.deepEqual(await applied(stage), all(['m1'], '1')), patience)
  })
})

test('gets through a storm of conflicts, in which somebody else writes the same objects all the time', async () => {
  const names = numbered(20)
  await onStage(beds, { revisions: [manifests(names), manifests(names, '2')] }, async stage => {
    const { kustomize, becomes, push, cluster: api, namespace } = stage
    await kustomize('app')
    await becomes('app', 'True')
    let storms = true
    let writes = 0
    const stranger = (async () => {
      for (let at = 0; storms; at = (at + 1) % names.length) {
        const ref = { group: '', kind: 'ConfigMap', namespace, name: names[at]! }
        const patch = { data: { value: `stranger ${++writes}` } } // as kubectl would: to be taken over each time
        await api.patch('v1', ref, { type: 'merge', patch }, { fieldManager: 'kubectl-edit' })
      }
    })()
    await push(2)
    await sleep(4_000)
    storms = false
    await stranger
    assert.ok(writes > names.length, `${writes} writes make no storm`)
    await stage.request('app')
    await becomes('app', 'True', /./, 60_000)
    await eventually(async () => {
      await stage.request('app')
      assert.deepEqual(await applied(stage), all(names, '2'))
    }, patience)
    assert.deepEqual(await inventoryOf(stage), names)
  })
})

test('keeps a deleted Kustomization while its cluster is away, reports it, and removes its objects after', async () => {
  await onStage(beds, { revisions: [manifests(['m1', 'm2'])] }, async stage => {
    const { kustomize, becomes, read, events, world, namespace } = stage
    await kustomize('app')
    await becomes('app', 'True')
    await cluster.stop()
    await world.hub.delete({ group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace, name: 'app' }, {})
    await eventually(
      async () => (await events('app')).some(line => /pruning for deleted resource failed/.test(line)),
      patience,
    )
    assert.deepEqual((await read('app'))?.metadata.finalizers, ['finalizers.fluxcd.io'])
    await cluster.start()
    await eventually(async () => assert.equal(await read('app'), undefined), { within: 90_000 })
    await eventually(async () => assert.deepEqual(await applied(stage), []), patience)
  })
})

test('gets through a storm of 429s: an API server that takes two requests at a time', async () => {
  const flags = [
    '--enable-priority-and-fairness=false',
    '--max-requests-inflight=3',
    '--max-mutating-requests-inflight=2',
  ]
  await using busy = await startBeds({ apiserverFlags: flags })
  const names = numbered(150)
  await onStage(busy, { revisions: [manifests(names), manifests(names.slice(0, 3), '2')] }, async stage => {
    await stage.kustomize('app')
    await stage.becomes('app', 'True', /./, 120_000)
    assert.deepEqual(await applied(stage), all(names, '1'))
    await stage.push(2)
    await eventually(async () => assert.deepEqual(await applied(stage), all(names.slice(0, 3), '2')), {
      within: 120_000,
    })
  })
})
