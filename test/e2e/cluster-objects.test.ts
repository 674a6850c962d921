/** Inputs that are read from clusters. The clusters are hubs, whose API is that of Kubernetes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { eventually } from '../bed/eventually.ts'
import { kubeconfigSecret } from '../bed/fleet-objects.ts'
import { type Hub, hub } from '../bed/hub.ts'

type Provider = KubernetesObject & {
  readonly status?: {
    readonly exportedInputs?: readonly Readonly<Record<string, unknown>>[]
    readonly conditions?: readonly { readonly type: string; readonly message: string }[]
  }
}

const clusterOf = (name: string): string => `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: ${name}, namespace: default, labels: {env: prod}}
spec: {interval: 1h, kubeConfig: {secretRef: {name: ${name}}}}
---`

const facts = (domain: string, zones: string): string => `
apiVersion: v1
kind: ConfigMap
metadata: {name: facts, namespace: default}
data: {domain: ${domain}, zones: "${zones}"}
---`

const provider = (account = ''): string => `
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSetInputProvider
metadata: {name: facts, namespace: default, annotations: {fluxcd.controlplane.io/reconcileEvery: 1s}}
spec:
  type: ClusterObject
  ${account}
  selectors: [{matchLabels: {env: prod}}]
  clusterObject:
    apiVersion: v1
    kind: ConfigMap
    namespace: default
    name: facts
    fields: {domain: self.data.domain, zones: 'self.data.zones.split(",")', size: size(self.data)}
---`

const exported = async (on: Hub): Promise<Readonly<Record<string, unknown>>> => {
  const { status } = await on.get<Provider>('resourcesetinputprovider', 'facts')
  return Object.fromEntries(
    (status?.exportedInputs ?? []).map(({ name, domain, zones, size, kubeConfig }) => [
      name,
      [domain, zones, size, JSON.stringify(kubeConfig)],
    ]),
  )
}

const secretOf = (name: string) => JSON.stringify({ secretRef: { name } })

test('fields of an object on each cluster are inputs, and a cluster that can not be read keeps its own', async () => {
  const [on, a, b] = await Promise.all([hub(), hub(), hub()])
  await a.apply(facts('a.example.com', 'x,y'))
  await b.apply(facts('b.example.com', 'z'))
  await on.apply(kubeconfigSecret('a', a) + kubeconfigSecret('b', b) + clusterOf('a') + clusterOf('b') + provider())
  const first = {
    a: ['a.example.com', ['x', 'y'], 2, secretOf('a')],
    b: ['b.example.com', ['z'], 2, secretOf('b')],
  }
  await eventually(async () => assert.deepEqual(await exported(on), first))

  await b.stop()
  await a.apply(facts('new.example.com', 'x'))
  const second = { ...first, a: ['new.example.com', ['x'], 2, secretOf('a')] }
  await eventually(async () => assert.deepEqual(await exported(on), second))
  const events = ['get', 'events', '--field-selector', 'reason=InputsIncomplete', '-o', 'jsonpath={.items[*].message}']
  await eventually(async () => assert.match(await on.kubectl(...events), /Cluster default\/b: .*; it keeps its inputs/))

  await a.kubectl('delete', 'configmap', 'facts')
  await eventually(async () =>
    assert.match(
      await on.kubectl(...events),
      /Cluster default\/a: ConfigMap default\/facts not found; it keeps its inputs/,
    ),
  )
  assert.deepEqual(await exported(on), second)
  await on.kubectl('label', 'cluster', 'a', 'env-')
  await eventually(async () => assert.deepEqual(Object.keys(await exported(on)), ['b']))
})

test('the hub reads as the account of the provider, and no Secrets', async () => {
  const [on, a] = await Promise.all([hub(), hub()])
  await a.apply(facts('a.example.com', 'x'))
  const account = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules: [{apiGroups: [fleet.keelson.dev], resources: [clusters], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: reader, namespace: default}]
---`
  await on.apply(account + kubeconfigSecret('a', a) + clusterOf('a') + provider('serviceAccountName: reader'))
  const events = ['get', 'events', '--field-selector', 'reason=InputsIncomplete', '-o', 'jsonpath={.items[*].message}']
  await eventually(async () =>
    assert.match(
      await on.kubectl(...events),
      /Cluster default\/a: .*forbidden.*system:serviceaccount:default:reader.*; it is left out/,
    ),
  )
  assert.deepEqual(await exported(on), {})
  await a.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: facts, namespace: default}
rules: [{apiGroups: [''], resources: [configmaps], resourceNames: [facts], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: facts, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: facts}
subjects: [{kind: ServiceAccount, name: reader, namespace: default}]
---`)
  await eventually(async () => assert.deepEqual(Object.keys(await exported(on)), ['a']))
  await assert.rejects(on.apply(provider().replace('kind: ConfigMap', 'kind: Secret')), /Secrets are not read/)
})
