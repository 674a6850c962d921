/** The HelmRelease that docs/from-flux.md moves, and its chart in the repository. */
export const chartFiles = {
  'charts/redis/Chart.yaml': 'apiVersion: v2\nname: redis\nversion: 1.2.3\n',
  'charts/redis/values.yaml': 'memory: 64mb\n',
  'charts/redis/templates/config.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {memory: "{{ .Values.memory }}"}\n',
}

export const redis = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: redis, namespace: flux-system}
spec:
  interval: 10m
  values: {memory: 128mb}
  chart: {spec: {chart: ./charts/redis, sourceRef: {kind: GitRepository, name: flux-system}}}
`
