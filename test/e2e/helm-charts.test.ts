import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { chartServer } from '../examples/chart-server.ts'

const unit = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: default}
spec: {interval: 1h, retryInterval: 1s, prune: true, path: ./, sourceRef: {kind: GitRepository, name: fleet}}
---`

const chart = {
  'charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'charts/web/values.yaml': 'size: small\n',
  'charts/web/templates/map.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}
data: {size: {{ .Values.size }}, name: {{ include "name" . }}}
{{- define "name" }}{{ .Chart.Name }}{{ end }}
`,
}

test('a hub with --enable-helm renders helmCharts of a kustomization: charts of the repository, and pulled ones', async () => {
  const pulled = `{name: podinfo, repo: ${await chartServer()}, releaseName: far, namespace: default}`
  const local = '{name: web, releaseName: near, namespace: default, valuesInline: {size: large}}'
  const fleet = await gitRepo({ ...chart, 'kustomization.yaml': `namespace: default\nhelmCharts: [${local}]\n` })
  const it = await hub({ flags: ['--enable-helm'] })
  await it.apply([fleetRepository(fleet), unit].join('\n'))
  await eventually(async () => {
    const data = await it.kubectl('get', 'configmap', 'near', '-o', 'jsonpath={.data}')
    assert.deepEqual(JSON.parse(data), { size: 'large', name: 'web' })
  })
  // The hub serves no Deployments: the pulled chart's is what it stumbles over.
  await fleet.push({ 'kustomization.yaml': `helmCharts: [${pulled}]\n` })
  await it.kubectl('annotate', 'gitrepository', 'fleet', 'reconcile.fluxcd.io/requestedAt=now')
  await eventually(async () => {
    const { status } = await it.get<Kustomization>('kustomization', 'web')
    assert.match(status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '', /Deployment\/default\/far/)
  })
  await fleet.push({
    'charts/web/templates/map.yaml': '{{ fail "no luck" }}',
    'kustomization.yaml': `helmCharts: [${local}]\n`,
  })
  await it.kubectl('annotate', '--overwrite', 'gitrepository', 'fleet', 'reconcile.fluxcd.io/requestedAt=later')
  await eventually(async () => {
    const { status } = await it.get<Kustomization>('kustomization', 'web')
    assert.match(status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '', /no luck/)
  })
})

test('a hub without the flag refuses helmCharts as kustomize-controller does', async () => {
  const fleet = await gitRepo({ ...chart, 'kustomization.yaml': 'helmCharts: [{name: web}]\n' })
  const it = await hub()
  await it.apply([fleetRepository(fleet), unit].join('\n'))
  await eventually(async () => {
    const { status } = await it.get<Kustomization>('kustomization', 'web')
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')
    assert.deepEqual([ready?.status, ready?.reason], ['False', 'BuildFailed'])
    assert.match(ready?.message ?? '', /must specify --enable-helm/)
  })
})
