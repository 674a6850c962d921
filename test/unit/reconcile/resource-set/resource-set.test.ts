import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap, onStage } from './scene.ts'

const tenants = [
  { tenant: 'one', n: 1 },
  { tenant: 'two', n: 2 },
]
const template = configMap('cm-<< inputs.tenant >>', { n: '<< inputs.n | quote >>' })

test('RS-005 RS-109 RS-118 RS-133 applies each template once for each set of inputs, and collects what is rendered no more', () =>
  onStage({}, async scene => {
    await scene.apply({ inputs: tenants, resources: [template] })
    assert.deepEqual(await scene.conditions(), [])
    assert.deepEqual(await scene.data(), { 'cm-one': { n: '1' }, 'cm-two': { n: '2' } })
  }))
