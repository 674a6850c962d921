import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planResourceSet } from '../../../lib/cli/plan-resource-set.ts'
import type { ClusterClient } from '../../../lib/clusters/client/client.ts'
import type { Plan } from '../../../lib/foundations/kinds/plan.ts'
import type { ResourceSetSpec } from '../../../lib/foundations/kinds/resource-set.ts'
import { configMap, onStage, type Scene } from '../reconcile/resource-set/scene.ts'

const fleet = 'fleet.keelson.dev'
const required = { [`${fleet}/approval`]: 'Required' }
const secret = (password: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace: 'default' },
  stringData: { password },
})

/** A scene in which the hub is the cluster, and what the command plans there for the ResourceSet, or for another spec. */
const onPlannedStage = async (
  story: (scene: Scene, plan: (spec?: ResourceSetSpec) => Promise<LocalPlan>) => Promise<void>,
) => {
  let hub: ClusterClient | undefined
  const captured = (cluster: ClusterClient) => {
    hub = cluster
    return cluster
  }
  await onStage({ cluster: captured }, scene =>
    story(scene, async spec => {
      const set = (await scene.read())!
      const clusters = { fromKubeconfig: captured, fromConfigMap: captured } as never
      const access = { cluster: hub!, clusters, signal: AbortSignal.timeout(60_000) }
      return planResourceSet({ ...set, ...(spec && { spec }) }, access, { buildLimits: {} })
    }),
  )
}
type LocalPlan = Awaited<ReturnType<typeof planResourceSet>>

test('the command plans what the hub plans for approval, as it is stored', async () => {
  await onPlannedStage(async (scene, plan) => {
    await scene.apply({ resources: [configMap('cm', { size: 'small' }), configMap('old'), secret('hunter2')] })
    await scene.apply(
      { resources: [configMap('cm', { size: 'large' }), configMap('new'), secret('correct horse')] },
      required,
    )
    const [stored] = (await scene.hub.list<Plan>({ group: fleet, kind: 'Plan', namespace: 'default' })).items
    const found = await plan()
    assert.deepEqual(found.changes, stored?.changes)
    const { counts, manifests, revision, unit, approvals } = stored!.spec
    const { digest: _, ...spec } = found.spec
    assert.deepEqual(spec, { counts, manifests, revision, unit, approvals })
    assert.deepEqual(counts, { configured: 2, created: 1, deleted: 1 })
    assert.doesNotMatch(JSON.stringify(found), /hunter2|correct horse|aHVudGVyMg|Y29ycmVjdCBob3JzZQ/)
  })
})

test('inputs are those that the selected providers export; a set that is applied would change nothing, and nothing is changed', async () => {
  await onPlannedStage(async (scene, plan) => {
    await scene.provide('one', { type: 'Static', defaultValues: { app: 'shop' } }, { labels: { team: 'a' } })
    await scene.provide('other', { type: 'Static', defaultValues: { app: 'blog' } }, { labels: { team: 'b' } })
    const inputsFrom = [{ selector: { matchLabels: { team: 'a' } } }]
    const applied = { inputsFrom, resources: [configMap('<< inputs.app >>')] }
    await scene.apply(applied)
    assert.deepEqual((await plan()).spec.counts, { unchanged: 1 })
    const { changes } = await plan({ ...applied, inputsFrom: [{ name: 'other' }] })
    assert.deepEqual(
      changes?.map(({ action, name }) => [action, name]),
      [
        ['created', 'blog'],
        ['deleted', 'shop'],
      ],
    )
    assert.deepEqual(Object.keys(await scene.data()), ['shop'])
    await assert.rejects(plan({ ...applied, inputsFrom: [{ name: 'gone' }] }), {
      name: 'CommandFailed',
      message: /^failed to compute inputs: failed to get provider default\/gone: .* not found$/,
    })
    await assert.rejects(plan({ resourcesTemplate: '<< inputs.app' }), { message: /^build failed: .*unclosed action$/ })
  })
})

test('what the cluster refuses is an error, and then no deletion is planned', async () => {
  await onPlannedStage(async (scene, plan) => {
    await scene.apply({ resources: [configMap('old')] })
    const { changes, errors } = await plan({ resources: [configMap('Bad_Name')] })
    assert.deepEqual(changes, [])
    assert.match(String(errors), /ConfigMap\/default\/Bad_Name dry-run failed/)
  })
})
