import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import { eventually } from '../../bed/eventually.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { branchUnit, configMap, readyOf, valueIn } from '../fleet.ts'

const name = 'undone'
const path = 'undone/app.yaml'

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
      await admin.apply(branchUnit(name, charts.url, target))
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
