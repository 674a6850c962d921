import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PreviewedPlan } from '../../../../lib/foundations/kinds/plan.ts'
import { plansOf, required, withUnit } from './approvals-scene.ts'
import { author, configMap, failing, onStage, type Scene } from './scene.ts'
import { annotate } from './windows-scene.ts'

const summary = ({ spec, changes = [] }: PreviewedPlan) => [
  spec.revision,
  ...changes.map(({ kind, name, action, fields = [] }) =>
    [`${kind}/${name} ${action}`, ...fields.map(({ path, before, after }) => `${path}: ${before} -> ${after}`)].join(
      ', ',
    ),
  ),
]

/** Previews a unit, which must leave everything as it is. */
const preview = async (scene: Scene, name = 'app'): Promise<PreviewedPlan> => {
  const [writes, before] = [scene.changes.length, JSON.stringify(await scene.read(name))]
  const found = await scene.preview(name)
  assert.equal(scene.changes.length, writes, 'it has applied something')
  assert.equal(JSON.stringify(await scene.read(name)), before)
  return found
}

test('a preview is what the next pass would apply, and neither applies nor stores anything', async () => {
  await onStage({}, async scene => {
    await scene.push('1', { 'a.yaml': configMap('a', '1'), 'b.yaml': configMap('b', '1') })
    await scene.kustomize('app', { suspend: true })
    const first = await preview(scene)
    assert.deepEqual(summary(first), ['main@sha1:1', 'ConfigMap/a created', 'ConfigMap/b created'])
    assert.deepEqual(first.spec.counts, { created: 2 })
    assert.equal(first.spec.approvals, undefined)

    await scene.hub.patch(
      { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'app' },
      { type: 'merge', patch: { spec: { suspend: false } } },
      author,
    )
    await scene.settle()
    assert.deepEqual(await scene.values(), { a: '1', b: '1' })
    const none = await preview(scene)
    assert.deepEqual([none.changes ?? [], none.spec.counts], [[], { unchanged: 2 }])

    await scene.hub.patch(
      { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' },
      { type: 'merge', patch: { data: { value: 'by hand' } } },
      { fieldManager: 'jane' },
    )
    assert.deepEqual(summary(await preview(scene)), ['main@sha1:1', 'ConfigMap/a configured, data.value: by hand -> 1'])
  })
})

test('what waits for an approval or a window is previewed, with what it needs, and its own plan stays as it is', async () => {
  await onStage({}, async scene => {
    await withUnit(scene)
    await scene.push('2', { 'b.yaml': configMap('b', '2') })
    const [stored] = await plansOf(scene)
    const found = await preview(scene)
    assert.deepEqual(summary(found), ['main@sha1:2', 'ConfigMap/b created', 'ConfigMap/a deleted'])
    assert.deepEqual([found.spec.approvals?.count, found.spec.expiresAt], [1, undefined])
    assert.equal(found.spec.digest, stored?.spec.digest, 'an approval of the stored plan is for the same change')
    assert.deepEqual(await plansOf(scene), [stored])

    await annotate(scene, {
      ...required,
      'keelson.dev/windows': '[{action: Deny, schedule: "* * * * *", duration: 1h}]',
    })
    assert.equal((await preview(scene)).spec.digest, stored?.spec.digest)
  })
})

test('deletions alone need an approval where only they do', async () => {
  await onStage({}, async scene => {
    await withUnit(scene, { 'fleet.keelson.dev/approval': 'OnDelete' })
    await scene.push('2', { 'a.yaml': configMap('a', '1'), 'b.yaml': configMap('b', '2') })
    await scene.push('3', { 'a.yaml': configMap('a', '3'), 'b.yaml': configMap('b', '2') })
    assert.equal((await preview(scene)).spec.approvals, undefined)
    await scene.push('4', { 'a.yaml': configMap('a', '3') })
    assert.equal((await preview(scene)).spec.approvals?.count, 1)
  })
})

test('a policy that denies the change is named beside the change', async () => {
  await onStage({}, async scene => {
    await withUnit(scene, {})
    await scene.hub.create(
      {
        apiVersion: 'fleet.keelson.dev/v1alpha1',
        kind: 'ChangePolicy',
        metadata: { name: 'none' },
        spec: { validations: [{ expression: 'false', message: 'nothing changes today' }] },
      },
      author,
    )
    await scene.push('2', { 'a.yaml': configMap('a', '2') })
    const found = await preview(scene)
    assert.deepEqual(summary(found), ['main@sha1:2', 'ConfigMap/a configured, data.value: 1 -> 2'])
    assert.match(found.denied ?? '', /nothing changes today/)
  })
})

test('a unit that does not build has no preview but the reason, and what a cluster does not respond to is an error', async () => {
  const { state, cluster } = failing(['apply'])
  await onStage({ cluster }, async scene => {
    await withUnit(scene, {})
    await scene.push('2', { 'a.yaml': 'kind: [broken\n' })
    await assert.rejects(preview(scene), /a\.yaml/)
    await scene.push('3', { 'a.yaml': configMap('a', '3') })
    state.on = true
    await scene.push('4', { 'a.yaml': configMap('a', '4') })
    assert.match(String((await preview(scene)).errors), /i\/o timeout/)
  })
})
