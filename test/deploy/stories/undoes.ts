import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HelmRelease } from '../../../lib/foundations/kinds/helm-release.ts'
import type { Kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import type { Run } from '../../../lib/foundations/kinds/run.ts'
import { eventually } from '../../bed/eventually.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { branchUnit, configMap, readyOf, valueIn } from '../fleet.ts'

const name = 'undone'
const path = 'undone/app.yaml'

const release = {
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata: { name: 'returned', namespace: 'default' },
  spec: {
    interval: '1h',
    kubeConfig: { secretRef: { name } },
    chart: { spec: { chart: './chart', interval: '1h', sourceRef: { kind: 'GitRepository', name } } },
    values: { value: 'one' },
  },
}

const chart = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: returned\nversion: 1.0.0\n',
  'chart/templates/map.yaml': configMap('returned', '{{ .Values.value }}'),
}

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

    test('a release returns to what a run has released, by a rollback of its function', async () => {
      const shown = () => valueIn(target, 'returned')
      const isReady = (text: RegExp) =>
        eventually(async () => {
          const { status } = await admin.get<HelmRelease>('helmrelease', 'returned')
          const ready = status?.conditions?.find(({ type }) => type === 'Ready')
          assert.match(`${ready?.status} ${ready?.message}`, text)
        }, patient)
      await charts.push({ ...chart, [path]: configMap(name, 'two') }, { branch: name })
      await admin.kubectl(
        ...['annotate', '--overwrite', 'gitrepository', name, `reconcile.fluxcd.io/requestedAt=${Date.now()}`],
      )
      await admin.apply(JSON.stringify(release))
      await isReady(/^True .*v1 with chart/)
      await admin.apply(JSON.stringify({ ...release, spec: { ...release.spec, values: { value: 'two' } } }))
      await isReady(/^True .*v2 with chart/)
      assert.equal(await shown(), 'two')
      const first = await eventually(async () => {
        const { items } = await admin.get<{ items: readonly Run[] }>('runs')
        return items.find(({ unit, changes }) => unit.name === 'returned' && changes?.[0]?.action === 'created') ?? null
      }, patient)
      await admin.kubectl('annotate', 'helmrelease', 'returned', `keelson.dev/undo=${first.manifests}`)
      await isReady(/^True Helm rollback of release default\/returned .* succeeded, kept by an undo of /)
      assert.equal(await shown(), 'one')
      await admin.kubectl('annotate', 'helmrelease', 'returned', 'keelson.dev/undo-')
      await isReady(/^True .*v4 with chart/)
      assert.equal(await shown(), 'two')
      await admin.kubectl('delete', 'helmrelease', 'returned')
    })
  })
}
