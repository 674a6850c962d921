import { readFileSync } from 'node:fs'
import type { Receiver } from '../../lib/foundations/kinds/receiver.ts'
import { type GitRepo, startGitRepo } from './git-repo.ts'
import type { Hub } from './hub.ts'
import { pushImage } from './push-image.ts'
import { registryServer } from './registry-server.ts'

/** An image on its way from a registry through git to a cluster, with a hub in between. All intervals are an hour. */
export interface ImagePipeline extends AsyncDisposable {
  readonly repo: GitRepo
  /** The image without a tag. */
  readonly image: string
  /** Puts a tag into the registry, which reports it to the hub. */
  push(tag: string): Promise<void>
}

/** Distribution's own notifications call the Receiver. The ConfigMap `app` in the namespace `default` of the target has the image, `1.0.0` at first. */
export const startImagePipeline = async (hub: Hub, target: { readonly kubeconfig: string }): Promise<ImagePipeline> => {
  await hub.apply(receiver)
  await hub.kubectl('wait', 'receiver/registry', '--for=condition=Ready')
  const { status } = await hub.get<Receiver>('receiver', 'registry')
  await using parts = new AsyncDisposableStack()
  const registry = parts.use(
    await registryServer({ configuration: notifications(`${hub.edge}${status!.webhookPath}`) }),
  )
  const image = `${registry.host}/app`
  const push = async (tag: string) => {
    const layers = [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', content: tag }]
    await pushImage({ layers }, { origin: registry.directOrigin, repository: 'app', tags: [tag] })
  }
  await push('1.0.0')
  const marker = '# {"$imagepolicy": "default:app"}'
  const repo = parts.use(
    await startGitRepo({
      'app.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app, namespace: default}\ndata:\n  image: ${image}:1.0.0 ${marker}\n`,
    }),
  )
  const kubeconfig = Buffer.from(readFileSync(target.kubeconfig)).toString('base64')
  await hub.apply(objectsFor({ image, repository: repo.url, kubeconfig }))
  const made = parts.move()
  return { repo, image, push, [Symbol.asyncDispose]: () => made.disposeAsync() }
}

const notifications = (url: string): string => `notifications:
  endpoints:
    - {name: hub, url: '${url}', timeout: 10s, threshold: 3, backoff: 1s}
`

/** It names ImageRepositories by label: the registry must know its path before the image has a name. */
const receiver = `
apiVersion: v1
kind: Secret
metadata: {name: webhook, namespace: default}
stringData: {token: a-shared-secret}
---
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata: {name: registry, namespace: default}
spec:
  type: generic
  secretRef: {name: webhook}
  resources: [{apiVersion: image.toolkit.fluxcd.io/v1, kind: ImageRepository, name: '*', matchLabels: {registry: local}}]
`

interface Names {
  readonly image: string
  readonly repository: string
  /** In base64. */
  readonly kubeconfig: string
}

const objectsFor = ({ image, repository, kubeconfig }: Names): string => `
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImageRepository
metadata: {name: app, namespace: default, labels: {registry: local}}
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
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: app, namespace: default}
spec: {interval: 1h, url: '${repository}', ref: {branch: main}}
---
apiVersion: v1
kind: Secret
metadata: {name: target, namespace: default}
data: {value: ${kubeconfig}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec: {interval: 1h, prune: true, path: ./, sourceRef: {kind: GitRepository, name: app}, kubeConfig: {secretRef: {name: target}}}
`
