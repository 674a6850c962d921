import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../../bed/eventually.ts'
import { git } from '../../bed/git.ts'
import { gitRepo } from '../../bed/git-repo.ts'
import { pushImage } from '../../bed/push-image.ts'
import { registryServer } from '../../bed/registry-server.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { type DeployedHub, patient } from '../deployed-hub.ts'
import { valueIn } from '../fleet.ts'

/** Images from a registry through git to the cluster, with the rights of the functions. */
export function updatesImages({ admin, target }: DeployedHub): void {
  const request = (...object: string[]) =>
    admin.kubectl('annotate', '--overwrite', ...object, `reconcile.fluxcd.io/requestedAt=${Date.now()}`)

  describe('updates images', () => {
    test('IM-018 a pushed tag becomes a commit, and the commit reaches the cluster without an interval', async () => {
      const registry = endWithTest(await registryServer())
      const push = (tag: string) =>
        pushImage(
          { layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', content: tag }] },
          { origin: registry.directOrigin, repository: 'app', tags: [tag] },
        )
      await push('1.0.0')
      const image = `${registry.host}/app`
      const marker = '# {"$imagepolicy": "default:imaged:tag"}'
      const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: imaged, namespace: default}\n'
      const repo = await gitRepo({ 'app.yaml': `${head}data:\n  value: 1.0.0 ${marker}\n` })
      await repo.git('config', 'receive.fsckObjects', 'true')
      await admin.apply(imageObjects(image, repo.url))
      await eventually(async () => assert.equal(await valueIn(target, 'imaged'), '1.0.0'), patient)
      await push('1.1.0')
      await request('imagerepository', 'imaged')
      await eventually(async () => assert.equal(await valueIn(target, 'imaged'), '1.1.0'), patient)
      assert.match(
        await repo.git('log', '-1', '--format=%an %s', 'main'),
        /^Fluxbot Update from image update automation$/,
      )
      await git(['fsck', '--strict', '--full'], { cwd: repo.dir })
    })
  })
}

const imageObjects = (image: string, repository: string): string => `
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImageRepository
metadata: {name: imaged, namespace: default}
spec: {image: '${image}', interval: 1h, insecure: true}
---
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImagePolicy
metadata: {name: imaged, namespace: default}
spec: {imageRepositoryRef: {name: imaged}, policy: {semver: {range: '>=1.0.0'}}}
---
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImageUpdateAutomation
metadata: {name: imaged, namespace: default}
spec:
  interval: 1h
  sourceRef: {kind: GitRepository, name: imaged}
  git: {commit: {author: {name: Fluxbot, email: flux@example.com}}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: imaged, namespace: default}
spec: {interval: 1h, url: '${repository}', ref: {branch: main}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: imaged, namespace: default}
spec: {interval: 1h, retryInterval: 5s, prune: true, path: ./, sourceRef: {kind: GitRepository, name: imaged}, kubeConfig: {secretRef: {name: target}}}
`
