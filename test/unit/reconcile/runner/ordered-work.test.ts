import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { CompleteRequest } from '../../../../lib/hub/runners/protocol.ts'
import { ApiError } from '../../../../lib/hub/store/hub.ts'
import { type OrderPerformers, orderedWork } from '../../../../lib/reconcile/runner/ordered-work.ts'

const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'ships', name: 'app' }
const plan = { plan: 'made' }
const unit = (spec: object = {}) =>
  ({
    ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
    ...{ metadata: { namespace: 'ships', name: 'app', uid: 'u' }, spec },
  }) as KubernetesObject

const scene = (
  perform: () => Promise<object>,
  object: KubernetesObject | undefined = unit(),
  complete: (done: Omit<CompleteRequest, 'lease'>) => void = () => {},
) => {
  const answers: Omit<CompleteRequest, 'lease'>[] = []
  const logged: string[] = []
  const work = orderedWork({
    session: {
      complete: async answer => {
        complete(answer)
        answers.push(answer)
      },
    },
    unitAt: async () => object,
    performers: { plan: perform, comparison: perform } satisfies OrderPerformers,
    isOwn: () => true,
    log: { info: () => {}, error: message => void logged.push(message) },
  })
  const take = async (...ids: readonly string[]) => {
    work.take(
      ids.map(id => ({
        id,
        ref,
        uid: 'u',
        work: { type: (id.startsWith('c') ? 'comparison' : 'plan') as 'plan' | 'comparison' },
      })),
    )
    for (let at = 0; at < 10; at++) await turn()
  }
  return { answers, logged, take, close: work.close }
}

test('each order is answered once, however often the hub hands it out', async () => {
  const { answers, take } = scene(async () => plan)
  await take('1')
  await take('1', '2')
  await take('2')
  await take()
  assert.deepEqual(
    answers,
    ['1', '2'].map(id => ({ ref, uid: 'u', id, result: { found: plan } })),
  )
})

test('orders of one type are worked on one after another, beside those of others', async () => {
  let [running, most] = [0, 0]
  const { answers, take } = scene(async () => {
    most = Math.max(most, ++running)
    await turn()
    running--
    return plan
  })
  await take('1', '2', '3')
  assert.deepEqual([most, answers.length], [1, 3])
  await take('4', '5', 'c1', 'c2')
  assert.deepEqual([most, answers.length], [2, 7])
})

test('what can not be found out is answered with the reason', async () => {
  const resultOf = async (perform: () => Promise<object>, object?: KubernetesObject) => {
    const { answers, take } = scene(perform, object)
    await take('1')
    return answers[0]?.result
  }
  const failing = (error: Error) => async () => {
    throw error
  }
  assert.deepEqual(await resultOf(failing(new Error('kustomize build failed'))), { failed: 'kustomize build failed' })
  const forbidden = failing(new ApiError(403, 'Forbidden', 'not yours'))
  assert.deepEqual(await resultOf(forbidden), { failed: 'not yours', reason: 'Forbidden' })
  const replaced = { ...unit(), metadata: { ...unit().metadata, uid: 'another' } }
  assert.deepEqual(await resultOf(async () => plan, replaced), { failed: 'the runner does not have it any more' })
})

test('an order that this runner does not know is answered, too', async () => {
  const { answers, take } = scene(async () => plan)
  await take('c')
  const { take: takeUnknown, answers: unknown } = scene(undefined as never)
  await takeUnknown('1')
  assert.deepEqual(unknown[0]?.result, { failed: 'the runner takes no orders of type plan' })
  assert.equal(answers.length, 1)
})

test('a result that the hub refuses, as one that is too large, is answered with that', async () => {
  const { answers, take } = scene(
    async () => plan,
    unit(),
    ({ result }) => {
      if ('found' in result) throw new ApiError(413, 'RequestEntityTooLarge', 'limit is 3145728')
    },
  )
  await take('1')
  assert.deepEqual(answers[0]?.result, { failed: 'the hub refuses the result: limit is 3145728' })
})

test('a session that is over hands nothing over', async () => {
  const { answers, take, close } = scene(async () => plan)
  close()
  await take('1')
  assert.deepEqual(answers, [])
})
