import assert from 'node:assert/strict'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import type { Cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import type { Hub } from '../bed/hub.ts'

/** What the fleets of flux-fleets.test.ts are made of, and what their stories ask of a hub. */

/** A release of a chart in the fleet's repository, with values from a Secret that is built beside it. */
export const release = `apiVersion: v1
kind: Secret
metadata: {name: values, namespace: podinfo}
stringData: {values.yaml: 'greeting: hello'}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: podinfo, namespace: podinfo}
spec:
  interval: 1h
  chart: {spec: {chart: ./charts/podinfo, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}
  valuesFrom: [{kind: Secret, name: values}]
`

export const forEach = (
  names: readonly string[],
  files: (name: string) => Record<string, string>,
): Record<string, string> => Object.assign({}, ...names.map(files))

export const configMap = (name: string, namespace: string, data: Readonly<Record<string, string>>): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}}\ndata: ${JSON.stringify(data)}\n`

export const kustomization = (
  name: string,
  spec: string,
  { namespace = 'flux-system', source = 'flux-system', annotations = '' } = {},
): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: ${namespace}, annotations: {${annotations}}}
spec: {interval: 1h, retryInterval: 2s, timeout: 1m, prune: true, sourceRef: {kind: GitRepository, name: ${source}}, ${spec}}
`

export const source = (name: string, url: string, namespace: string): string => `
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: ${name}, namespace: ${namespace}}
spec: {interval: 1h, url: '${url}', ref: {branch: main}}
`

export const root = (name: string, namespace: string, spec: string): string =>
  `---${kustomization('flux-system', `path: ./clusters/${name}, ${spec}`, { namespace })}`

/** A namespace of the hub that stands for the cluster's flux-system. */
export const clusterNamespace = (name: string): string => `
apiVersion: v1
kind: Namespace
metadata:
  name: ${name}-flux-system
  annotations: {keelson.dev/target: ${name}, keelson.dev/target-namespace: flux-system}
---`

/** What `flux bootstrap` leaves on a cluster: the account that the roots act as. */
export const admin = async (at: Cluster): Promise<void> => {
  await at.kubectl('create', 'namespace', 'flux-system')
  await at.kubectl(
    'create',
    'clusterrolebinding',
    'flux',
    '--clusterrole=cluster-admin',
    '--serviceaccount=flux-system:kustomize-controller',
  )
}

export const ready = (it: Hub, name: string, namespace: string) =>
  eventually(
    async () => {
      const { items } = await it.get<{ readonly items: readonly Kustomization[] }>('kustomizations', '-A')
      const standing = items.map(({ metadata, status }) => {
        const condition = conditionOf(status?.conditions, 'Ready')
        return [`${metadata.namespace}/${metadata.name}`, `${condition?.status}: ${condition?.message}`] as const
      })
      const messages = Object.fromEntries(standing)
      assert.match(messages[`${namespace}/${name}`] ?? '', /^True/, JSON.stringify(messages, null, 1))
    },
    { every: 500 },
  )

export const request = (it: Hub, kind: string, name: string, namespace: string) =>
  it.kubectl(
    'annotate',
    '--overwrite',
    `${kind}/${name}`,
    '-n',
    namespace,
    `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
  )

export const read = (it: Hub, name: string, namespace: string) =>
  it.get<Kustomization>(`kustomization/${name}`, '-n', namespace)

export const dataOf = async (at: Cluster, name: string, namespace: string) =>
  (await at.get<{ readonly data: Readonly<Record<string, string>> }>(`configmap/${name}`, '-n', namespace)).data
