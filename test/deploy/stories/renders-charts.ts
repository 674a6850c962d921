import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import { eventually } from '../../bed/eventually.ts'
import { kubeconfigSecret } from '../../bed/fleet-objects.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { readyOf } from '../fleet.ts'

/** A chart in the kustomization's folder: rendered with a prefix, and with values that the kustomization gives. */
const folder = (greeting: string): Record<string, string> => ({
  'inflated/kustomization.yaml': `
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namePrefix: from-
helmCharts:
- name: web
  releaseName: web
  namespace: default
  valuesInline: {greeting: ${JSON.stringify(greeting)}}
`,
  'inflated/charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'inflated/charts/web/values.yaml': 'greeting: none\n',
  'inflated/charts/web/templates/settings.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: '{{ .Release.Name }}-settings', namespace: '{{ .Release.Namespace }}'}
data: {greeting: '{{ required "a greeting is needed" .Values.greeting | upper }}'}
`,
})

const objects = ({ target, charts }: DeployedHub): string => `${kubeconfigSecret('inflated', target)}
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: inflated, namespace: default}
spec: {interval: 1h, url: '${charts.url}', ref: {branch: main}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: inflated, namespace: default}
spec:
  interval: 1h
  retryInterval: 5s
  prune: true
  path: ./inflated
  sourceRef: {kind: GitRepository, name: inflated}
  kubeConfig: {secretRef: {name: inflated}}
`

/** `helmCharts` of kustomizations, by the function `helmcharts`: the hub is deployed with the setting enableHelm. */
export function rendersCharts(hub: DeployedHub): void {
  const { admin, charts, target } = hub
  const inflated = () => admin.get<Kustomization>('kustomization', 'inflated')
  const greeting = () =>
    target.kubectl('get', 'configmap', 'from-web-settings', '--ignore-not-found', '-o', 'jsonpath={.data.greeting}')
  const pushed = async (files: Record<string, string>) => {
    await charts.push(files)
    const now = `reconcile.fluxcd.io/requestedAt=${Date.now()}`
    await admin.kubectl('annotate', 'gitrepository', 'inflated', '--overwrite', now)
  }

  describe('renders charts of kustomizations', inOrder, () => {
    test('what a chart renders reaches the cluster, as the kustomization changes it', async () => {
      await charts.push(folder('hello'))
      await admin.apply(objects(hub))
      await eventually(async () => assert.equal(readyOf(await inflated()), 'True ReconciliationSucceeded'), patient)
      assert.equal(await greeting(), 'HELLO')
      const { status } = await inflated()
      assert.deepEqual(status?.inventory?.entries, [{ id: 'default_from-web-settings__ConfigMap', v: 'v1' }])
    })

    test('new values render it again', async () => {
      await pushed(folder('good day'))
      await eventually(async () => assert.equal(await greeting(), 'GOOD DAY'), patient)
    })

    test("a chart that refuses its values says so in the Kustomization's condition, and nothing is pruned", async () => {
      await pushed(folder(''))
      await eventually(async () => {
        const { status } = await inflated()
        const ready = status?.conditions?.find(({ type }) => type === 'Ready')
        assert.deepEqual([ready?.status, ready?.reason], ['False', 'BuildFailed'])
        assert.match(ready?.message ?? '', /web\/templates\/settings\.yaml.*a greeting is needed/s)
      }, patient)
      assert.equal(await greeting(), 'GOOD DAY')
    })

    test('what it rendered goes with the Kustomization', async () => {
      await admin.kubectl('delete', 'kustomization', 'inflated', '--timeout=2m')
      assert.equal(await greeting(), '')
    })
  })
}
