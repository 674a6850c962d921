import { type GitRepo, startGitRepo } from '../bed/git-repo.ts'
import { type Hub, startHub } from '../bed/hub.ts'

export interface FluxWorld extends AsyncDisposable {
  readonly hub: Hub
  /** That of the GitRepository `site`. */
  readonly repo: GitRepo
}

/** A hub that follows a git repository: GitRepository and Kustomization `site` in `flux-system`, both Ready, and the Secret `hook` of a Receiver. */
export async function startFluxWorld(): Promise<FluxWorld> {
  const files = { 'apps/settings.yaml': configMap('settings'), 'two/other.yaml': configMap('other') }
  const world = await startSite(files, 'apps')
  await world.hub.apply(`
apiVersion: v1
kind: Secret
metadata: { name: hook, namespace: flux-system }
stringData: { token: '0123456789' }
`)
  return world
}

/** A hub with a GitRepository `site` of these files and a Kustomization `site` of one of its folders, in `flux-system`; both are Ready. */
export const startSite = async (files: Readonly<Record<string, string>>, folder: string): Promise<FluxWorld> => {
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
spec: { sourceRef: { kind: GitRepository, name: site }, path: ./${folder}, prune: true, interval: 1h, retryInterval: 2s }
`)
  await hub.kubectl('wait', 'gitrepo/site', 'ks/site', '-n', 'flux-system', '--for=condition=Ready', '--timeout=5m')
  return {
    hub,
    repo,
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]()
      await repo[Symbol.asyncDispose]()
    },
  }
}

const configMap = (name: string) =>
  `{ apiVersion: v1, kind: ConfigMap, metadata: { name: ${name}, namespace: flux-system }, data: { a: b } }\n`
