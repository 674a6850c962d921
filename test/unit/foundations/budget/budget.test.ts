import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Budget, BudgetExceeded } from '../../../../lib/foundations/budget/budget.ts'

const over = (work: () => void): BudgetExceeded => {
  try {
    work()
  } catch (error) {
    assert(error instanceof BudgetExceeded)
    return error
  }
  throw new Error('stayed within its budget')
}

test('adds up what is spent, and says which budget went over, at how much and where', () => {
  const budget = new Budget({ bytes: 100 })
  budget.spend('bytes', 60, 'a.yaml')
  budget.spend('bytes', 40, 'b.yaml')
  const error = over(() => budget.spend('bytes', 1, 'c.yaml'))
  assert.deepEqual({ ...error }, { name: 'BudgetExceeded', budget: 'bytes', limit: 100, used: 101, place: 'c.yaml' })
  assert.equal(error.message, 'over budget: more than 100 bytes read and created (c.yaml); the limit is bytes=100')
  assert.equal(
    over(() => new Budget({ steps: 1 }).spend('steps', 2)).message,
    'over budget: more than 1 steps; the limit is steps=1',
  )
})

test('keeps the highest level of what does not add up', () => {
  const budget = new Budget({ depth: 3 })
  for (const level of [3, 2, 3, 1]) budget.reach('depth', level)
  assert.equal(budget.used.depth, 3)
  assert.equal(over(() => budget.reach('depth', 4, 'x')).used, 4)
})

test('is over for good: later work that does not notice fails with the first error', () => {
  const budget = new Budget({ nodes: 1, steps: 5 })
  const first = over(() => budget.spend('nodes', 2, 'first'))
  assert.equal(budget.exceeded, first)
  assert.equal(
    over(() => budget.spend('steps', 6, 'second')),
    first,
  )
})

test('counts without limiting where there is no limit', () => {
  const budget = new Budget()
  budget.spend('steps', 1e12)
  budget.reach('depth', 1e6)
  assert.deepEqual(budget.used, {
    ...{ bases: 0, depth: 1e6, resources: 0, nodes: 0, bytes: 0, steps: 1e12 },
    ...{ seconds: 0, megabytes: 0 },
  })
  assert.equal(budget.exceeded, undefined)
})
