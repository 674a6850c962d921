import type { Condition } from '../../lib/foundations/kinds/object.ts'
import type { Cluster } from '../bed/cluster.ts'
import { fleetRepository, kubeconfigSecret, pushReceiver } from '../bed/fleet-objects.ts'
import type { GitRepo } from '../bed/git-repo.ts'

/** The objects of the suites: one repository, applied to one cluster, told of pushes by a webhook. */

export const configMap = (name: string, value: string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default}, data: {value: "${value}"}}\n`

export const secret = 'a-shared-secret'

export const fleet = (
  git: GitRepo,
  target: Cluster,
): string => `${kubeconfigSecret('target', target)}${fleetRepository(git)}
${pushReceiver('{kind: GitRepository, name: fleet}', secret)}
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: fleet, namespace: default}
spec:
  interval: 1h
  retryInterval: 5s
  prune: true
  path: ./apps
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: target}}
`

/**
 * A repository and its Kustomization, which applies the folder of its name from the branch of its name. All intervals are hours: what happens is enqueued
 * by changes themselves.
 */
export const branchUnit = (name: string, url: string, target: Cluster): string => `${kubeconfigSecret(name, target)}
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: ${name}, namespace: default}
spec: {interval: 1h, url: '${url}', ref: {branch: ${name}}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  retryInterval: 1h
  prune: true
  path: ./${name}
  sourceRef: {kind: GitRepository, name: ${name}}
  kubeConfig: {secretRef: {name: ${name}}}
`

export interface WithConditions {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/** `True ReconciliationSucceeded` */
export const readyOf = ({ status }: WithConditions): string => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return `${ready?.status} ${ready?.reason}`
}

/** Of a ConfigMap in the namespace default of a real cluster. */
export const valueIn = (target: Cluster, name: string): Promise<string> =>
  target.kubectl('get', 'configmap', name, '--ignore-not-found', '-o', 'jsonpath={.data.value}')
