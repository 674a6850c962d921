import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import { eventually } from '../../bed/eventually.ts'
import { kubeconfigSecret } from '../../bed/fleet-objects.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { configMap, readyOf, valueIn } from '../fleet.ts'

const name = 'undone'
const path = 'undone/app.yaml'

const objects = (url: string): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: ${name}, namespace: default}
spec: {interval: 1h, url: '${url}', ref: {branch: ${name}}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  retryInterval: 1h
  prune: true
  path: ./undone
  sourceRef: {kind: GitRepository, name: ${name}}
  kubeConfig: {secretRef: {name: ${name}}}
`

/** All intervals are hours: what happens here is enqueued by the changes themselves. */
export function undoes({ admin, target, charts }: DeployedHub): void {
  const unit = () => admin.get<Kustomization>('kustomization', name)
  const has = (value: string) => eventually(async () => assert.equal(await valueIn(target, name), value), patient)

  const pinned = async (): Promise<string> => {
    const condition = (await unit()).status?.conditions?.find(({ type }) => type === 'Pinned')
    return condition ? `${condition.status} ${condition.reason}: ${condition.message}` : ''
  }

  describe('undoes', inOrder, () => {
    test('a unit returns to manifests that its function has sealed in the bucket', async () => {
      await charts.push({ [path]: configMap(name, 'one') }, { branch: name })
      await admin.apply(`${kubeconfigSecret(name, target)}${objects(charts.url)}`)
      await has('one')
      await eventually(async () => assert.match(readyOf(await unit()), /^True /), patient)
      await charts.push({ [path]: configMap(name, 'two') }, { branch: name })
      await admin.kubectl(
        'annotate',
        '--overwrite',
        'gitrepository',
        name,
        `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
      )
      await has('two')
      await eventually(async () => assert.equal((await unit()).status?.history?.length, 2), patient)

      const [, first] = (await unit()).status!.history!
      await admin.kubectl('annotate', 'kustomization', name, `keelson.dev/undo=${first!.digest}`)
      await has('one')
      await eventually(async () => assert.match(await pinned(), /^True Undone: .* has undone it: revision /), patient)
    })

    test('and follows its source again', async () => {
      await admin.kubectl('annotate', 'kustomization', name, 'keelson.dev/undo-')
      await has('two')
      await eventually(async () => assert.equal(await pinned(), ''), patient)
    })
  })
}
