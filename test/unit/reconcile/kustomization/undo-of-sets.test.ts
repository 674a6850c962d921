/** What takes the place of an undo of a ResourceSet. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceSet } from '../../../../lib/foundations/kinds/resource-set.ts'
import { author, configMap, onStage, type Scene } from './scene.ts'
import { digestOf, pinnedOf, undoTo } from './undo-scene.ts'

const group = 'fluxcd.controlplane.io'
const object = (kind: string, spec: object) => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name: 'set', namespace: 'default' },
  spec,
})
const refTo = (kind: string) => ({ group, kind, namespace: 'default', name: 'set' })

const exporting = async ({ hub, settle }: Scene, team: string) => {
  const status = { exportedInputs: [{ id: team, team }] }
  await hub.patch(
    refTo('ResourceSetInputProvider'),
    { type: 'merge', patch: { status } },
    { subresource: 'status', ...author },
  )
  await settle()
}

test('an undo of the Kustomization that applies a ResourceSet brings its templates back, for the inputs of today', async () => {
  await onStage({ withSets: true }, async scene => {
    const templates = (value: string) => ({
      'set.yaml': JSON.stringify(
        object('ResourceSet', {
          inputsFrom: [{ name: 'set' }],
          resourcesTemplate: configMap('<< inputs.team >>', value),
        }),
      ),
    })
    await scene.hub.create(object('ResourceSetInputProvider', { type: 'Static' }), author)
    await exporting(scene, 'red')
    await scene.push('1', templates('good'))
    await scene.kustomize('app')
    const first = await digestOf(scene)
    await scene.push('2', templates('bad'))
    assert.deepEqual(await scene.values(), { red: 'bad' })
    await exporting(scene, 'blue')
    await undoTo(scene, first)
    assert.deepEqual(await scene.values(), { blue: 'good' })
  })
})

test('a unit that a ResourceSet has made stays undone while the set changes its spec', async () => {
  await onStage({ withSets: true }, async scene => {
    const unit = (interval: string) => ({
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name: 'app', namespace: 'default' },
      spec: { interval, prune: true, sourceRef: { kind: 'GitRepository', name: 'app' } },
    })
    await scene.push('1', { 'a.yaml': configMap('a', '1') })
    await scene.hub.create(object('ResourceSet', { resources: [unit('10m')] }), author)
    await scene.settle()
    const first = await digestOf(scene)
    await scene.push('2', { 'a.yaml': configMap('a', '2') })
    await undoTo(scene, first)
    await scene.hub.patch(
      refTo('ResourceSet'),
      { type: 'merge', patch: { spec: { resources: [unit('20m')] } } },
      author,
    )
    await scene.settle()
    const { conditions } = (await scene.hub.get<ResourceSet>(refTo('ResourceSet')))!.status!
    assert.equal(conditions?.find(({ type }) => type === 'Ready')?.status, 'True')
    assert.equal((await scene.read('app'))?.spec.interval, '20m')
    assert.deepEqual(await scene.values(), { a: '1' })
    assert.match((await pinnedOf(scene)) ?? '', /^True Undone: jane has undone it/)
  })
})
