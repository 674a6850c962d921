import { startGitRepo } from '../bed/git-repo.ts'
import { startHub } from '../bed/hub.ts'
import type { FluxWorld } from './flux-world.ts'

/**
 * A hub that follows a git repository with a chart: the Kustomization `site` in `flux-system` brings the HelmRelease `web`, which installs the chart
 * on the hub itself; all are Ready.
 */
export const startFluxReleaseWorld = async (): Promise<FluxWorld> => {
  const [repo, hub] = await Promise.all([startGitRepo(files), startHub()])
  await hub.apply(`
apiVersion: v1
kind: Namespace
metadata: { name: flux-system }
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: { name: site, namespace: flux-system }
spec: { url: ${repo.url}, ref: { branch: main }, interval: 1h }
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: site, namespace: flux-system }
spec: { sourceRef: { kind: GitRepository, name: site }, path: ./releases, prune: true, interval: 1h, retryInterval: 2s }
`)
  const ready = ['-n', 'flux-system', '--for=condition=Ready', '--timeout=5m']
  await hub.kubectl('wait', 'gitrepo/site', 'ks/site', ...ready)
  await hub.kubectl('wait', 'hr/web', ...ready)
  return {
    hub,
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]()
      await repo[Symbol.asyncDispose]()
    },
  }
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
  values: {greeting: hi}
  chart: {spec: {chart: ./app, reconcileStrategy: Revision, sourceRef: {kind: GitRepository, name: site}}}
`,
}
