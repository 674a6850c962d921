import { type FluxWorld, startSite } from './flux-world.ts'

/**
 * A hub that follows a git repository with a chart: the Kustomization `site` in `flux-system` brings the HelmRelease `web`, which installs the chart
 * on the hub itself; all are Ready.
 */
export const startFluxReleaseWorld = async (): Promise<FluxWorld> => {
  const world = await startSite(files, 'releases')
  await world.hub.kubectl('wait', 'hr/web', '-n', 'flux-system', '--for=condition=Ready', '--timeout=5m')
  return world
}

const files = {
  'app/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.2.3\n',
  'app/values.yaml': 'greeting: hello\n',
  'app/templates/map.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {greeting: "{{ .Values.greeting }}"}\n',
  'releases/web.yaml': `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: flux-system}
spec:
  interval: 1h
  timeout: 5m
  values: {greeting: hi}
  chart: {spec: {chart: ./app, reconcileStrategy: Revision, sourceRef: {kind: GitRepository, name: site}}}
`,
}
