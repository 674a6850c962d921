/** A chart whose hook fails, or whose Deployment gets ready late, where the values say so. */
export const chart = {
  'charts/app/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 0.1.0\n',
  'charts/app/values.yaml': 'greeting: hello\nhold: ""\nfailingHook: false\n',
  'charts/app/templates/settings.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: '{{ .Release.Name }}-settings'}
data: {greeting: '{{ .Values.greeting }}'}
`,
  'charts/app/templates/deployment.yaml': `
apiVersion: apps/v1
kind: Deployment
metadata: {name: '{{ .Release.Name }}'}
spec:
  replicas: 1
  selector: {matchLabels: {app: '{{ .Release.Name }}'}}
  template:
    metadata:
      labels: {app: '{{ .Release.Name }}'}
      annotations: {testcluster/hold: '{{ .Values.hold }}'}
    spec: {containers: [{name: c, image: 'busybox:1'}]}
`,
  'charts/app/templates/hook.yaml': `
apiVersion: batch/v1
kind: Job
metadata:
  name: '{{ .Release.Name }}-migrate'
  annotations: {helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: before-hook-creation}
spec:
  backoffLimit: 0
  template:
    metadata:
      annotations: {testcluster/hold: '{{ if .Values.failingHook }}failed{{ end }}'}
    spec: {restartPolicy: Never, containers: [{name: c, image: 'busybox:1'}]}
`,
}
