import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithTest } from '../bed/teardown.ts'
import { startBeds } from '../conformance/flux/beds.ts'
import { widgets } from './custom-definitions.ts'
import { configMap, dataOf, onStage } from './kustomization-stage.ts'

/** What Kustomizations wait for on a real Kubernetes API server, by the numbers of the checklist. */
const beds = endWithTest(await startBeds())

test('KS-090 KS-101 waits for Pods to be ready, or to have succeeded, whether they are of the build or not', async () => {
  await onStage(
    beds,
    { revisions: [{ 'a.yaml': configMap('a') }] },
    async ({ kustomize, becomes, apply, world, namespace }) => {
      const pod = (name: string, annotations = {}) => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, annotations },
        spec: { containers: [{ name: 'c', image: 'nginx' }] },
      })
      await apply(pod('ready'), pod('held', { 'testcluster/hold': 'unready' }))
      const check = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', name, namespace })
      await kustomize('app', { timeout: '30s', healthChecks: [check('ready')] })
      await becomes('app', 'True')
      await kustomize('app', { timeout: '30s', healthChecks: [check('ready'), check('held')] })
      await becomes('app', 'False', /timeout waiting for: \[Pod\/stage-.*\/held status: 'InProgress'\]/)
      const status = JSON.stringify({ status: { phase: 'Succeeded' } })
      await world.hubBed.cluster.kubectl(
        'patch',
        'pod',
        'held',
        '-n',
        namespace,
        '--subresource=status',
        '--type=merge',
        '-p',
        status,
      )
      await becomes('app', 'True')
    },
  )
})

test('KS-096 waits for definitions to be established and their names to be accepted', async () => {
  await onStage(
    beds,
    { revisions: [{ 'a.yaml': configMap('a') }] },
    async ({ kustomize, becomes, cluster, namespace }) => {
      const [good, clash] = [widgets('gizmo'), widgets('doodad')]
      const taken = { ...clash, spec: { ...clash.spec, names: { ...clash.spec.names, kind: 'Gizmo' } } }
      for (const definition of [good, taken]) await cluster.apply(definition, { fieldManager: 'someone', force: true })
      const check = (name: string) => ({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        name,
      })
      await kustomize('app', { timeout: '30s', healthChecks: [check('gizmos.stage.example.com')] })
      await becomes('app', 'True')
      await kustomize('app', { timeout: '30s', healthChecks: [check('doodads.stage.example.com')] })
      await becomes('app', 'False', /CustomResourceDefinition\/doodads.stage.example.com status: '(InProgress|Failed)'/)
      assert.ok(namespace)
    },
  )
})

test('KS-097 judges Flux objects by their Ready condition', async () => {
  await onStage(
    beds,
    { revisions: [{ 'a.yaml': configMap('a') }] },
    async ({ kustomize, becomes, apply, namespace }) => {
      await apply({
        apiVersion: 'source.toolkit.fluxcd.io/v1',
        kind: 'GitRepository',
        metadata: { name: 'broken' },
        spec: { interval: '10m', url: '${GIT_URL}/app.git', ref: { branch: 'none' } },
      })
      const check = (name: string) => ({
        apiVersion: 'source.toolkit.fluxcd.io/v1',
        kind: 'GitRepository',
        name,
        namespace,
      })
      await kustomize('app', { timeout: '30s', healthChecks: [check('app')] })
      await becomes('app', 'True')
      await kustomize('app', { timeout: '30s', healthChecks: [check('app'), check('broken')] })
      await becomes('app', 'False', /GitRepository\/stage-.*\/broken status: '(InProgress|Failed)'/)
    },
  )
})

test('KS-133 KS-220 KS-233 depends on what goes to another cluster; an unreachable one holds nobody up', async () => {
  const revisions = [{ 'far/f.yaml': configMap('far'), 'near/n.yaml': configMap('near') }]
  await onStage(beds, { revisions, target: true }, async ({ kustomize, becomes, apply, live, world, namespace }) => {
    const secret = (name: string, value: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      stringData: { value },
    })
    const dead =
      '{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}], clusters: [{name: c, cluster: {server: "https://127.0.0.1:9"}}], users: [{name: u, user: {token: t}}]}'
    await apply(secret('target', '${TARGET_KUBECONFIG}'), secret('dead', dead))
    await kustomize('dead', { path: 'far', kubeConfig: { secretRef: { name: 'dead' } } })
    await kustomize('far', { path: 'far', kubeConfig: { secretRef: { name: 'target' } } })
    await kustomize('near', { path: 'near', dependsOn: [{ name: 'far' }] })
    await becomes('near', 'True')
    await becomes('dead', 'False', /connection refused/)
    const far = { group: '', kind: 'ConfigMap', namespace, name: 'far' }
    assert.equal(dataOf(await world.real('target').get('v1', far)), '1')
    assert.equal(await live('v1', 'ConfigMap', 'far'), undefined)
    assert.equal(dataOf(await live('v1', 'ConfigMap', 'near')), '1')
  })
})
