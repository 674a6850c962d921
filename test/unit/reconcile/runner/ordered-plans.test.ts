import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { PreviewedPlan } from '../../../../lib/foundations/kinds/plan.ts'
import type { PlannedRequest } from '../../../../lib/hub/runners/protocol.ts'
import { orderedPlans } from '../../../../lib/reconcile/runner/ordered-plans.ts'
import { signedOnly } from '../../../../lib/reconcile/runner/signed-units.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'

const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'ships', name: 'app' }
const plan: PreviewedPlan = {
  spec: { unit: { apiVersion: 'v1', kind: 'K', name: 'app' }, digest: 'sha256:1', counts: {} },
}
const unit = (spec: object = {}) =>
  ({
    ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
    ...{ metadata: { namespace: 'ships', name: 'app', uid: 'u' }, spec },
  }) as KubernetesObject

const scene = (
  preview: () => Promise<PreviewedPlan>,
  object: KubernetesObject | undefined = unit(),
  isSigned = false,
) => {
  const answers: Omit<PlannedRequest, 'lease'>[] = []
  const logged: string[] = []
  const reconciler = { kind: ref, preview } as unknown as Reconciler<KubernetesObject>
  const plans = orderedPlans({
    session: { planned: async answer => void answers.push(answer) },
    unitAt: async () => object,
    reconcilers: [isSigned ? signedOnly(reconciler) : reconciler],
    isOwn: () => true,
    clock: { now: () => 0, monotonic: () => 0, sleep: async () => {} },
    log: { info: () => {}, error: message => void logged.push(message) },
  })
  const take = async (...ids: readonly string[]) => {
    plans.take(ids.map(id => ({ id, ref, uid: 'u' })))
    for (let at = 0; at < 10; at++) await turn()
  }
  return { answers, logged, take, close: plans.close }
}

test('each order is answered once, however often it is in the copy', async () => {
  const { answers, take } = scene(async () => plan)
  await take('1')
  await take('1', '2')
  await take('2')
  await take()
  assert.deepEqual(
    answers,
    ['1', '2'].map(id => ({ ref, uid: 'u', id, result: { plan } })),
  )
})

test('plans are made one after another', async () => {
  let [running, most] = [0, 0]
  const { answers, take } = scene(async () => {
    most = Math.max(most, ++running)
    await turn()
    running--
    return plan
  })
  await take('1', '2', '3')
  assert.deepEqual([most, answers.length], [1, 3])
})

test('what can not be planned is answered with the reason', async () => {
  const failedOf = async (preview: () => Promise<PreviewedPlan>, object?: KubernetesObject, isSigned?: boolean) => {
    const { answers, take } = scene(preview, object, isSigned)
    await take('1')
    const [answer] = answers.map(({ result }) => result)
    return answer && 'failed' in answer ? answer.failed : undefined
  }
  const broken = async () => {
    throw new Error('kustomize build failed')
  }
  assert.equal(await failedOf(broken), 'kustomize build failed')
  const replaced = { ...unit(), metadata: { ...unit().metadata, uid: 'another' } }
  assert.equal(await failedOf(async () => plan, replaced), 'the runner does not have it any more')
  assert.match((await failedOf(async () => plan, unit({ patches: [{}] }), true)) ?? '', /spec\.patches can't be signed/)
})

test('a session that is over hands nothing over', async () => {
  const { answers, take, close } = scene(async () => plan)
  close()
  await take('1')
  assert.deepEqual(answers, [])
})
