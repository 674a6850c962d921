import { pushImage } from '../bed/push-image.ts'
import { registryServer } from '../bed/registry-server.ts'
import { type FluxWorld, startSite } from './flux-world.ts'

/**
 * A hub that follows a git repository with a marked image, scans its registry, and makes an artifact of a folder: GitRepository and Kustomization
 * `site`, ImageRepository and ImagePolicy `web`, ImageUpdateAutomation `site` and ArtifactGenerator `parts` in `flux-system`; all are Ready.
 */
export const startFluxImageWorld = async (): Promise<FluxWorld & { readonly registry: string }> => {
  const registry = await registryServer()
  const tags = ['1.0.0', '1.1.0']
  await pushImage({ layers: [] }, { origin: registry.directOrigin, repository: 'web', tags })
  const files = {
    'apps/web.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: flux-system}
data:
  tag: 1.0.0 # {"$imagepolicy": "flux-system:web:tag"}
`,
  }
  const world = await startSite(files, 'apps')
  await world.hub.apply(`
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImageRepository
metadata: { name: web, namespace: flux-system }
spec: { image: ${registry.host}/web, interval: 1h, insecure: true }
---
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImagePolicy
metadata: { name: web, namespace: flux-system }
spec: { imageRepositoryRef: { name: web }, policy: { semver: { range: ">=1.0.0" } } }
---
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImageUpdateAutomation
metadata: { name: site, namespace: flux-system }
spec:
  sourceRef: { kind: GitRepository, name: site }
  interval: 1h
  git: { commit: { author: { name: flux, email: flux@example.com } } }
---
apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata: { name: parts, namespace: flux-system }
spec:
  sources: [{ alias: site, kind: GitRepository, name: site }]
  artifacts: [{ name: apps, copy: [{ from: '@site/apps/**', to: '@artifact/' }] }]
`)
  for (const object of ['imgrepo/web', 'imgpol/web', 'iua/site', 'ag/parts'])
    await world.hub.kubectl('wait', object, '-n', 'flux-system', '--for=condition=Ready', '--timeout=5m')
  return {
    ...world,
    registry: registry.host,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await registry[Symbol.asyncDispose]()
    },
  }
}
