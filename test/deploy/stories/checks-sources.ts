import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sample as bucketChange } from '../../../events/bucket-change.ts'
import { sample as codeCommitPush } from '../../../events/code-commit-push.ts'
import { sample as ecrPush } from '../../../events/ecr-push.ts'
import type { GitRepository } from '../../../lib/foundations/kinds/git-repository.ts'
import type { OciRepository } from '../../../lib/foundations/kinds/oci-repository.ts'
import { eventually } from '../../bed/eventually.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { eachActedUponOnce } from '../webhook-burst.ts'

/** Whom webhooks and events of registries ask to reconcile, and how often. */
export function checksSources({ admin, edge, invoke }: DeployedHub): void {
  describe('looks at sources', inOrder, () => {
    test('many webhooks at once cause one check of each source', () => eachActedUponOnce(admin, edge, 10))

    test('OC-080 an ECR push reconciles the OCIRepository that follows it', async () => {
      const registry = `${ecrPush.account}.dkr.ecr.${ecrPush.region}.amazonaws.com`
      const named = (name: string, repository: string) => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: ${name}, namespace: default}
spec: {interval: 1h, url: 'oci://${registry}/${repository}', ref: {tag: latest}, suspend: false}
---`
      await admin.apply(named('follows', ecrPush.detail['repository-name']) + named('follows-not', 'something-else'))
      assert.deepEqual(await invoke('source-event', ecrPush), { requested: 1 })
      const askedAndDone = async (name: string) => {
        const { metadata, status } = await admin.get<OciRepository>('ocirepository', name)
        return [metadata.annotations?.['reconcile.fluxcd.io/requestedAt'], status?.lastHandledReconcileAt]
      }
      await eventually(async () => {
        const [asked, done] = await askedAndDone('follows')
        assert.ok(asked)
        assert.equal(done, asked)
      }, patient)
      assert.deepEqual(await askedAndDone('follows-not'), [undefined, undefined])
    })

    test('a push to CodeCommit reconciles the GitRepository that follows it, and a change in S3 the Bucket that reads it', async () => {
      const { region, detail } = codeCommitPush
      const host = `git-codecommit.${region}.amazonaws.com`
      await admin.apply(`
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: code-commit, namespace: default}
spec: {interval: 1h, url: 'https://${host}/v1/repos/${detail.repositoryName}', ref: {branch: ${detail.referenceName}}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: Bucket
metadata: {name: manifests, namespace: default}
spec: {interval: 1h, provider: aws, bucketName: ${bucketChange.detail.bucket.name}, endpoint: s3.amazonaws.com}
`)
      assert.deepEqual(await invoke('source-event', codeCommitPush), { requested: 1 })
      const { metadata } = await admin.get<GitRepository>('gitrepository', 'code-commit')
      assert.ok(metadata.annotations?.['reconcile.fluxcd.io/requestedAt'])
      assert.deepEqual(await invoke('source-event', bucketChange), { requested: 1 })
    })
  })
}
