/** What users decide about on the cluster of the runner `aurora`: Kustomizations that differ in who has to, and what the hub renders. */

const config = (name: string, value: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: default}
data: {value: "${value}"}
`

const chart = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: charted\nversion: 1.0.0\n',
  'chart/templates/map.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: charted}\ndata: {value: "{{ .Values.value }}"}\n',
  'chart/templates/hook.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hook, annotations: {helm.sh/hook: pre-upgrade}}\n',
}

/** A HelmRelease and a ResourceSet, whose content is the hub's. */
export const ofHub = (value: string): string => `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: charted, namespace: default}
spec:
  interval: 1h
  chart: {spec: {chart: ./chart, sourceRef: {kind: GitRepository, name: fleet}}}
  values: {value: "${value}"}
  kubeConfig: {configMapRef: {name: aurora}}
---
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata:
  name: rendered
  namespace: default
  annotations: {resourceset.keelson.dev/kubeConfig: ConfigMap/aurora}
spec:
  inputs: [{value: "${value}"}]
  resources:
    - apiVersion: v1
      kind: ConfigMap
      metadata: {name: rendered, namespace: default}
      data: {value: << inputs.value | quote >>}
---`
export const namesOfHub = ['charted', 'rendered'] as const

export const files = (value: string) => ({
  ...chart,
  'planned/a.yaml': config('planned', value),
  'suspended/a.yaml': config('suspended', value),
  'staged/a.yaml': config('staged', value),
})

const unit = (name: string, metadata: string): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default, ${metadata}}
spec:
  interval: 1h
  retryInterval: 1s
  prune: true
  path: ./${name}
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {configMapRef: {name: aurora}}
---`

export const units = [
  unit('planned', 'annotations: {fleet.keelson.dev/approval: Required}'),
  unit('suspended', 'labels: {app: none}'),
  unit('staged', 'labels: {app: web}'),
].join('')

export const rollout = `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Rollout
metadata: {name: web, namespace: default}
spec:
  sources: [{kind: GitRepository, name: fleet}]
  units: {selector: {matchLabels: {app: web}}}
  progressDeadline: 2m
  stages: [{name: all, before: [{name: go, approval: {}}]}]
---`

export const approver = `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: approvers, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: keelson-approver}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]
---`
