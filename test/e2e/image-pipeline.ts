import type { Receiver } from '../../lib/foundations/kinds/receiver.ts'
import { gitRepo } from '../bed/git-repo.ts'
import type { Hub } from '../bed/hub.ts'
import { pushImage } from '../bed/push-image.ts'
import { type RegistryServer, registryServer } from '../bed/registry-server.ts'
import { endWithTest } from '../bed/teardown.ts'

/** Puts a tag of the image `app` into a registry. */
export const pushTag = (registry: RegistryServer, tag: string): Promise<string> =>
  pushImage(
    { layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', content: tag }] },
    { origin: registry.directOrigin, repository: 'app', tags: [tag] },
  )

/** A registry with the image `app:1.0.0`, a repository that uses it, and the objects that keep both together; intervals are an hour. */
export const imagePipeline = async () => {
  const registry = endWithTest(await registryServer())
  await pushTag(registry, '1.0.0')
  const name = `${registry.host}/app`
  const marker = '# {"$imagepolicy": "default:app"}'
  const repo = await gitRepo({
    'app.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app, namespace: default}\ndata:\n  image: ${name}:1.0.0 ${marker}\n`,
  })
  return { registry, repo, objects: objectsFor(name, repo.url) }
}

const objectsFor = (image: string, repository: string): string => `
apiVersion: v1
kind: Secret
metadata: {name: webhook, namespace: default}
stringData: {token: a-shared-secret}
---
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImageRepository
metadata: {name: app, namespace: default}
spec: {image: '${image}', interval: 1h, insecure: true}
---
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImagePolicy
metadata: {name: app, namespace: default}
spec:
  imageRepositoryRef: {name: app}
  policy: {semver: {range: '>=1.0.0'}}
---
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImageUpdateAutomation
metadata: {name: auto, namespace: default}
spec:
  interval: 1h
  sourceRef: {kind: GitRepository, name: app}
  git: {commit: {author: {name: Fluxbot, email: flux@example.com}}}
---
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata: {name: registry, namespace: default}
spec:
  type: generic
  secretRef: {name: webhook}
  resources: [{apiVersion: image.toolkit.fluxcd.io/v1, kind: ImageRepository, name: app}]
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: app, namespace: default}
spec: {interval: 1h, url: '${repository}', ref: {branch: main}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec: {interval: 1h, prune: true, path: ./, sourceRef: {kind: GitRepository, name: app}}
`

/** Calls the Receiver of the registry, as the registry would after a push; returns the status of the response. */
export const callReceiver = async ({ edge, get }: Hub): Promise<number> => {
  const { status } = await get<Receiver>('receiver', 'registry')
  return (await fetch(`${edge}${status?.webhookPath}`, { method: 'POST', body: '{}' })).status
}

/** The image in what the Kustomization has applied. */
export const deployedImage = ({ kubectl }: Hub): Promise<string> =>
  kubectl('get', 'configmap', 'app', '-o', 'jsonpath={.data.image}')
