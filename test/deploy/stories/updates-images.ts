import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../../bed/eventually.ts'
import { git } from '../../bed/git.ts'
import { gitRepo } from '../../bed/git-repo.ts'
import { pushImage } from '../../bed/push-image.ts'
import { registryServer } from '../../bed/registry-server.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { type DeployedHub, patient } from '../deployed-hub.ts'
import { configMap, valueIn } from '../fleet.ts'

/** Images from a registry through git to the cluster, and artifacts that are made of others, with the rights of the functions. */
export function updatesImages({ admin, target }: DeployedHub): void {
  const request = (...object: string[]) =>
    admin.kubectl('annotate', '--overwrite', ...object, `reconcile.fluxcd.io/requestedAt=${Date.now()}`)

  describe('updates images and generates artifacts', { concurrency: 2 }, () => {
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
      await admin.apply(`${imageObjects(image, repo.url)}---${imagedUnit}`)
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

    test('IM-063 a feature gate of the stack reaches the function: it replaces a push branch', async () => {
      const registry = endWithTest(await registryServer())
      const layers = [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', content: '1' }]
      await pushImage({ layers }, { origin: registry.directOrigin, repository: 'app', tags: ['2.0.0'] })
      const file = 'value: 1.0.0 # {"$imagepolicy": "default:gated:tag"}\n'
      const repo = await gitRepo({ 'app.yaml': file })
      await repo.push({ 'other.yaml': 'of: others\n' }, { branch: 'updates' })
      const push = { branch: 'updates' }
      await admin.apply(imageObjects(`${registry.host}/app`, repo.url, { name: 'gated', push }))
      await eventually(
        async () => assert.match(await repo.git('show', 'updates:app.yaml'), /^value: 2\.0\.0 /),
        patient,
      )
      assert.equal(
        await repo.git('log', '--format=%an: %s', 'updates'),
        'Fluxbot: Update from image update automation\nKeelson Tests: Initial commit',
      )
    })

    test('an ArtifactGenerator takes a repository apart, and a Kustomization applies a part', async () => {
      const repo = await gitRepo({
        'one/map.yaml': configMap('generated', 'one'),
        'two/map.yaml': configMap('other', 'two'),
      })
      await admin.apply(generatorObjects(repo.url))
      await eventually(async () => assert.equal(await valueIn(target, 'generated'), 'one'), patient)
      assert.equal(await valueIn(target, 'other'), '')
      await repo.push({ 'one/map.yaml': configMap('generated', 'changed') })
      await request('gitrepository', 'parts')
      await eventually(async () => assert.equal(await valueIn(target, 'generated'), 'changed'), patient)
    })
  })
}

const imageObjects = (image: string, repository: string, { name = 'imaged', push = {} } = {}): string => `
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImageRepository
metadata: {name: ${name}, namespace: default}
spec: {image: '${image}', interval: 1h, insecure: true}
---
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImagePolicy
metadata: {name: ${name}, namespace: default}
spec: {imageRepositoryRef: {name: ${name}}, policy: {semver: {range: '>=1.0.0'}}}
---
apiVersion: image.toolkit.fluxcd.io/v1
kind: ImageUpdateAutomation
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  sourceRef: {kind: GitRepository, name: ${name}}
  git: {commit: {author: {name: Fluxbot, email: flux@example.com}}, push: ${JSON.stringify(push)}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: ${name}, namespace: default}
spec: {interval: 1h, url: '${repository}', ref: {branch: main}}
`

const imagedUnit = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: imaged, namespace: default}
spec: {interval: 1h, retryInterval: 5s, prune: true, path: ./, sourceRef: {kind: GitRepository, name: imaged}, kubeConfig: {secretRef: {name: target}}}
`

const generatorObjects = (repository: string): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: parts, namespace: default}
spec: {interval: 1h, url: '${repository}', ref: {branch: main}}
---
apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata: {name: parts, namespace: default}
spec:
  sources: [{alias: repo, kind: GitRepository, name: parts}]
  artifacts: [{name: part-one, copy: [{from: '@repo/one/**', to: '@artifact/'}]}]
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: parts, namespace: default}
spec: {interval: 1h, retryInterval: 5s, prune: true, path: ./, sourceRef: {kind: ExternalArtifact, name: part-one}, kubeConfig: {secretRef: {name: target}}}
`
