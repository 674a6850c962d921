import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expression } from '../../../../lib/engines/cel/expression.ts'
import { healthEvaluator } from '../../../../lib/engines/cel/health-expressions.ts'
import { defaultBuildLimits } from '../../../../lib/foundations/budget/budget.ts'
import type { OffThread } from '../../../../lib/platform/ports/off-thread.ts'
import { evaluationsOf } from '../../../../lib/reconcile/heavy-work/evaluations.ts'
import { workers } from './workers.ts'

const settings = { buildLimits: defaultBuildLimits }

test('expressions off the thread give the same results as on it, errors included', async () => {
  const thread = workers()
  const unit = { apiVersion: 'v1', kind: 'Kustomization', metadata: { name: 'x', namespace: 'default' } }
  const outcomes = async (ports: { readonly offThread?: OffThread; readonly settings: typeof settings }) => {
    const evaluations = evaluationsOf(unit, new AbortController(), ports)
    const data = { l: Array.from({ length: 300 }, (_, at) => at), secret: 's3cret' }
    const costly = 'l.all(a, l.all(b, b >= 0))'
    const evaluate = (text: string) =>
      evaluations.evaluateBoolean(expression(text), data).catch(({ name, stage, message, messageWithoutValues }) => ({
        ...{ name, stage, message, messageWithoutValues },
      }))
    const judge = (current: string) =>
      evaluations.judgeHealth(healthEvaluator({ current }), { current }, data).catch(({ message }) => message)
    return [
      await evaluate('l.size() == 300'),
      await evaluate(costly),
      await evaluate(`!${costly}`),
      await evaluate(`${costly} && {'a': 1}[secret] == 1`),
      await evaluate(`${costly} && l`),
      await judge(costly),
      await judge(`!${costly}`),
      await judge('missing'),
    ]
  }
  const here = await outcomes({ settings })
  assert.deepEqual(here.slice(0, 3), [true, true, false])
  assert.doesNotMatch((here[3] as { messageWithoutValues: string }).messageWithoutValues, /s3cret/)
  assert.deepEqual(here.slice(5, 7), ['Current', 'InProgress'])
  assert.deepEqual(await outcomes({ offThread: thread, settings }), here)
})

test('what a pass evaluates here is little in sum, however many expressions it has', async () => {
  const tasks: string[] = []
  const offThread: OffThread = {
    run: async ({ name }) => {
      tasks.push(name)
      return { value: true }
    },
  }
  const unit = { apiVersion: 'v1', kind: 'Kustomization', metadata: { name: 'x' } }
  const evaluations = evaluationsOf(unit, new AbortController(), { offThread, settings })
  const usual = expression("status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')")
  const data = { status: { conditions: [{ type: 'Ready', status: 'True' }] } }
  for (let times = 0; times < 300; times++) await evaluations.evaluateBoolean(usual, data)
  assert.deepEqual(tasks, [])
  for (let times = 0; times < 10_000; times++) await evaluations.evaluateBoolean(usual, data)
  assert.ok(tasks.length > 1_000)
})

test('an expression that takes more than the whole budget is a CelError, on this thread and off it', async () => {
  const unit = { apiVersion: 'v1', kind: 'Kustomization', metadata: { name: 'x' } }
  const few = { settings: { buildLimits: { ...defaultBuildLimits, steps: 1_000 } } }
  const costly = expression('l.all(a, l.all(b, b >= 0))')
  const data = { l: Array.from({ length: 300 }, (_, at) => at) }
  for (const ports of [few, { ...few, offThread: workers() }])
    await assert.rejects(evaluationsOf(unit, new AbortController(), ports).evaluateBoolean(costly, data), {
      name: 'CelError',
      stage: 'evaluation',
      message: /the expression takes too much work: over budget: more than 1000 steps; the limit is steps=1000$/,
    })
})
