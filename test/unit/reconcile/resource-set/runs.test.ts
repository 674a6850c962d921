import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap, onStage, providerRef, setRef } from './scene.ts'

const minute = 60_000

test('a ResourceSet leaves Runs of what it creates, changes, corrects and deletes, and none at rest', () =>
  onStage({}, async ({ apply, provide, change, advance, settle, runs, hub }) => {
    const resources = [configMap('<< inputs.name >>', { level: '<< inputs.level >>' }), configMap('fixed', { a: 'b' })]
    await provide('more', { type: 'Static', defaultValues: { name: 'one', level: 'low' } })
    await apply({ resources, inputsFrom: [{ name: providerRef('more').name }] })
    await advance(130 * minute)
    const ref = (name: string) => ({ group: '', kind: 'ConfigMap', namespace: 'default', name })
    await change(providerRef('more'), { spec: { defaultValues: { name: 'one', level: 'top' } } })
    await advance(62 * minute)
    await change(ref('fixed'), { data: { a: 'drifted' } })
    await advance(62 * minute)
    await hub.delete(setRef, {})
    await settle()
    await advance(minute)
    const found = (await runs()).filter(({ unit }) => unit.kind === 'ResourceSet')
    assert.deepEqual(
      found.map(({ cause, result, changes = [] }) => [
        ...[cause.type, result],
        changes.map(({ name, action, fields = [] }) => [
          ...[name, action],
          ...fields.map(({ path, before, after }) => `${path}: ${before} -> ${after}`),
        ]),
      ]),
      [
        [
          ...['Spec', 'Succeeded'],
          [
            ['fixed', 'created'],
            ['one', 'created'],
          ],
        ],
        ['Config', 'Succeeded', [['one', 'configured', 'data.level: low -> top']]],
        ['Drift', 'Succeeded', [['fixed', 'configured', 'data.a: drifted -> b']]],
        [
          ...['Deletion', 'Deleted'],
          [
            ['one', 'deleted'],
            ['fixed', 'deleted'],
          ],
        ],
      ],
    )
  }))
