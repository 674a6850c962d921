import { readFileSync } from 'node:fs'
import type { Cluster } from './cluster.ts'
import type { GitRepo } from './git-repo.ts'

/** Objects with which many scenes begin, in the namespace default, as documents of one YAML file. */

/** The reference of a Kustomization to its cluster. */
export const kubeconfigSecret = (
  name: string,
  { kubeconfig }: Pick<Cluster, 'kubeconfig'>,
  namespace = 'default',
): string => `
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: ${namespace}}
stringData:
  value: |
    ${readFileSync(kubeconfig, 'utf8').replaceAll('\n', '\n    ')}
---`

/** The GitRepository `fleet`. */
export const fleetRepository = ({ url }: Pick<GitRepo, 'url'>, labels = '{}'): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: fleet, namespace: default, labels: ${labels}}
spec: {interval: 1h, url: '${url}', ref: {branch: main}}
---`

/** The Kustomization `app` of the GitRepository `fleet`, for the cluster of a kubeconfig Secret; `more` are further lines of its spec. */
export const fleetUnit = (kubeconfig: string, more = ''): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec:
  interval: 1h
  retryInterval: 1s
  prune: true
  path: ./
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: ${kubeconfig}}}
${more}---`

/** The GitRepository `app`, on main. */
export const appRepository = ({ url }: Pick<GitRepo, 'url'>, interval = '1h'): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: app, namespace: default}
spec: {url: '${url}', ref: {branch: main}, interval: ${interval}}
---`

/** The Receiver `github` of pushes to a source, and the Secret `webhook` with its token. */
export const pushReceiver = (source: string, token: string): string => `
apiVersion: v1
kind: Secret
metadata: {name: webhook, namespace: default}
stringData: {token: ${token}}
---
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata: {name: github, namespace: default}
spec:
  type: github
  events: [push]
  secretRef: {name: webhook}
  resources: [${source}]
---`

/** A kubeconfig for a server, which need not be a cluster, with its name as the token. */
export const kubeconfigFor = (server: string, name: string, namespace = 'default'): string => `
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: ${namespace}}
stringData:
  value: |
    apiVersion: v1
    kind: Config
    current-context: a
    contexts: [{name: a, context: {cluster: a, user: a}}]
    clusters: [{name: a, cluster: {server: '${server}'}}]
    users: [{name: a, user: {token: '${name}'}}]
---`

/** A kubeconfig for a server, and a Kustomization of `app` for it; both have the same name. */
export const unitFor = (server: string, name: string): string => `${kubeconfigFor(server, name)}
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  prune: true
  path: ./
  sourceRef: {kind: GitRepository, name: app}
  kubeConfig: {secretRef: {name: ${name}}}
---`

/** All rights in a namespace, for a ServiceAccount of it. */
export const ownerOf = (namespace: string, account: string): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: owner-${account}, namespace: ${namespace}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: ${account}, namespace: ${namespace}}]
---`
