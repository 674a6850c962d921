import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announcedOf } from '../../../../lib/foundations/kinds/announced-version.ts'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { Hub } from '../../../../lib/hub/store/hub.ts'
import { reconcileFollowers } from '../../../../lib/signals/webhook/registry-push.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'

const registry = '123456789012.dkr.ecr.eu-west-1.amazonaws.com'
const repository = (name: string, ref: object | undefined, more: object = {}) => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'OCIRepository',
  metadata: { name, namespace: 'apps' },
  spec: { url: `oci://${registry}/manifests/app`, interval: '1h', ...(ref && { ref }), ...more },
})

const image = (name: string, of: string, more: object = {}) => ({
  apiVersion: 'image.toolkit.fluxcd.io/v1',
  kind: 'ImageRepository',
  metadata: { name, namespace: 'apps', resourceVersion: '7' },
  spec: { image: of, interval: '1h', ...more },
})

test('reconciles the OCIRepositories and ImageRepositories that follow the pushed artifact, page by page, and no others', async () => {
  const stored = [
    repository('default-tag', undefined),
    repository('latest', { tag: 'latest' }),
    repository('semver', { semver: '>=1.0.0' }),
    repository('other-tag', { tag: 'v1' }),
    repository('digest', { digest: 'sha256:00' }),
    repository('suspended', undefined, { suspend: true }),
    repository('other-repository', undefined, { url: `oci://${registry}/manifests/application` }),
    repository('other-registry', undefined, { url: 'oci://ghcr.io/manifests/app' }),
  ]
  const images = [
    image('image', `${registry}/manifests/app`),
    image('suspended-image', `${registry}/manifests/app`, { suspend: true }),
    image('other-image', `${registry}/manifests/application`),
  ]
  const digest = `sha256:${'2'.repeat(64)}`
  const asked: string[] = []
  const announced: unknown[] = []
  const hub = {
    list: async ({ kind, continue: next }: { kind: string; continue?: string }) => {
      if (kind === 'ImageRepository') return { items: images, resourceVersion: '1' }
      return next
        ? { items: stored.slice(4), resourceVersion: '1' }
        : { items: stored.slice(0, 4), resourceVersion: '1', continue: 'n' }
    },
    patch: async (ref: ObjectRef, { patch }: { patch: { metadata: { annotations: object } } }) => {
      assert.ok(requestedAtAnnotation in patch.metadata.annotations)
      asked.push(ref.name)
      announced.push(announcedOf({ metadata: { name: ref.name, ...patch.metadata } as never })?.to)
    },
  } as unknown as Pick<Hub, 'get' | 'list' | 'patch'>
  const ports = {
    ...{ hub, clock: manualClock(), log: { info: () => {}, error: () => {} } },
    random: { bytes: () => new Uint8Array(), fraction: () => 0.5, uuid: () => '' },
  }
  assert.equal(await reconcileFollowers(ports, { registry, repository: 'manifests/app', tag: 'latest', digest }), 4)
  assert.deepEqual(asked.splice(0), ['default-tag', 'latest', 'semver', 'image'])
  assert.deepEqual(announced, [digest, digest, undefined, undefined], 'a range of versions may mean another tag')
  assert.equal(await reconcileFollowers(ports, { registry, repository: 'manifests/app' }), 5)
  assert.deepEqual(asked, ['default-tag', 'latest', 'semver', 'other-tag', 'image'])
})
