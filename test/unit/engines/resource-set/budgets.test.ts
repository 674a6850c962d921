/** What rendering may cost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render } from '../../../../lib/engines/resource-set/render.ts'
import { Budget, BudgetExceeded, type Limits } from '../../../../lib/foundations/budget/budget.ts'
import { configMap } from './render-bed.ts'

test('each run of a template is bounded as the caller says', () => {
  const spec = { resources: [configMap('a', { x: '<< repeat 1000 "x" >>' })] }
  assert.throws(() => render(spec, [], { limits: { output: 500 } }), /output exceeds 500 characters/)
})

const overBudget = (spec: Parameters<typeof render>[0], sets: Parameters<typeof render>[1], limits: Limits) => {
  try {
    render(spec, sets, { budget: new Budget(limits) })
  } catch (error) {
    assert(error instanceof BudgetExceeded, String(error))
    return [error.budget, error.place]
  }
  return assert.fail('stayed within its budget')
}

test('all templates together stay within one budget of bytes, nodes, resources and steps', () => {
  const sets = Array.from({ length: 50 }, (_, i) => ({ id: i }))
  const each = { resources: [configMap('a-<< inputs.id >>', { x: '<< repeat 1000 "x" >>' })] }
  assert.equal(render(each, sets, { budget: new Budget({ resources: 50 }) })[0]!.objects.length, 50)
  assert.deepEqual(overBudget(each, sets, { resources: 49 }), ['resources', 'resources[0]'])
  assert.deepEqual(overBudget(each, sets, { bytes: 20_000 }), ['bytes', ''])
  assert.deepEqual(overBudget(each, sets, { nodes: 100 }), ['nodes', ''])
  const loops = { resourcesTemplate: '<< range until 2000 >><< end >>' }
  assert.deepEqual(overBudget(loops, sets, { steps: 10_000 }), ['steps', ''])
  const aliased = {
    resourcesTemplate: `kind: List\nitems:\n- &a {kind: A, apiVersion: v1, metadata: {name: x}}\n<< repeat 5000 "- *a\\n" >>`,
  }
  assert.deepEqual(overBudget(aliased, [], { resources: 5000 }), ['resources', 'resourcesTemplate'])
  assert.deepEqual(overBudget(aliased, [], { nodes: 20_000 }), ['nodes', ''])
})
