import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApplyBed, managers, ssa } from '../apply-bed.ts'

/** Whose fields are whose, and which objects are left to others. */
export function sharesObjects({ bed, target, space, apply }: ApplyBed): void {
  test('KS-286 takes over from kubectl what it had set, and leaves other appliers their fields', async () => {
    const { configMap, live, namespace, object } = await space()
    const theirs = (name: string) =>
      JSON.stringify(object('v1', 'ConfigMap', name, { data: { key: 'old', extra: 'x' } }))
    await bed.apply(theirs('a'))
    await bed.kubectl('-n', namespace, 'create', 'configmap', 'e', '--from-literal=extra=x')
    await target.apply(JSON.parse(theirs('b')), { fieldManager: 'kubectl', force: true })
    await target.apply(JSON.parse(theirs('c')), { fieldManager: 'tool-x', force: true })
    const objects = ['a', 'b', 'c', 'e'].map(name => configMap(name))
    assert.deepEqual(
      await apply(objects),
      ['a', 'b', 'c', 'e'].map(name => `ConfigMap/${namespace}/${name} configured`),
    )
    const found = await Promise.all(['a', 'b', 'c', 'e'].map(name => live('configmap', name)))
    const ours = ['kustomize-controller/Apply']
    assert.deepEqual(
      found.map(object => [object.data, managers(object), object.metadata.annotations]),
      [
        [{ key: 'value' }, ours, undefined],
        [{ key: 'value' }, ours, undefined],
        [{ key: 'value', extra: 'x' }, [...ours, 'tool-x/Apply'], undefined],
        [{ key: 'value' }, ours, undefined],
      ],
    )
    assert.deepEqual(
      await apply(objects),
      ['a', 'b', 'c', 'e'].map(name => `ConfigMap/${namespace}/${name} unchanged`),
    )
  })

  test('KS-287 undoes the changes of overridden managers, too', async () => {
    const { configMap, live, patch } = await space()
    await apply([configMap('a')])
    await patch('configmap', 'a', { data: { extra: 'theirs' } }, 'tool-x')
    await apply([configMap('a')], { overriddenManagers: ['tool-x'] })
    assert.deepEqual((await live('configmap', 'a')).data, { key: 'value' })
  })

  test('KS-279, KS-281, KS-283, KS-284 keeps to the policies of the manifest and of the live object', async () => {
    const { configMap, live, patch, namespace } = await space()
    const objects = (value: string) => [
      configMap('ignored', { key: value }, ssa('Ignore')),
      configMap('merged', { key: value }, ssa('merge')),
      configMap('once', { key: value }, ssa('IfNotPresent')),
      configMap('paused', { key: value }),
    ]
    assert.deepEqual(await apply(objects('1')), [
      `ConfigMap/${namespace}/ignored skipped`,
      `ConfigMap/${namespace}/merged created`,
      `ConfigMap/${namespace}/once created`,
      `ConfigMap/${namespace}/paused created`,
    ])
    await patch('configmap', 'merged', { data: { extra: 'x' } }, 'kubectl-edit')
    await bed.kubectl(
      '-n',
      namespace,
      'annotate',
      'configmap',
      'paused',
      'kustomize.toolkit.fluxcd.io/reconcile=Disabled',
    )
    assert.deepEqual(await apply(objects('2')), [
      `ConfigMap/${namespace}/ignored skipped`,
      `ConfigMap/${namespace}/merged configured`,
      `ConfigMap/${namespace}/once skipped`,
      `ConfigMap/${namespace}/paused skipped`,
    ])
    const data = await Promise.all(['merged', 'once', 'paused'].map(async name => (await live('configmap', name)).data))
    assert.deepEqual(data, [{ key: '2', extra: 'x' }, { key: '1' }, { key: '1' }])
  })
}
