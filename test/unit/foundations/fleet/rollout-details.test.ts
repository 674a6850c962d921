import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain } from '../../../../lib/foundations/fleet/explain.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const time = '2026-01-01T00:00:00Z'
const condition = (type: string, status: string, reason: string, message: string) => ({
  ...{ type, status, reason, message, lastTransitionTime: time },
})
const ready = condition(
  'Ready',
  'True',
  'ReconciliationSucceeded',
  'Applied revision: v1, held by RolloutRun apps/web-1',
)

const unit = (conditions: readonly object[], annotations: object = {}) =>
  ({
    ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
    metadata: { name: 'app', namespace: 'apps', annotations },
    spec: { interval: '1h', sourceRef: { kind: 'GitRepository', name: 'app' } },
    status: { conditions: [ready, ...conditions] },
  }) as unknown as KubernetesObject

const run = (name: string, status: object) => ({
  ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'RolloutRun', metadata: { name, namespace: 'apps' } },
  ...{ spec: { rollout: 'web', stages: [{ name: 'canary' }, { name: 'europe' }] }, status },
})

const hub: Readonly<Record<string, object>> = {
  'RolloutRun/apps/web-1': run('web-1', { phase: 'Succeeded', stage: 1 }),
  'Rollout/apps/web': { metadata: { name: 'web', namespace: 'apps' }, status: { currentRun: 'web-2' } },
  'RolloutRun/apps/web-2': run('web-2', {
    ...{ phase: 'Running', stage: 1, step: 'Before' },
    waitsFor: ['gate soak: opens at 10:00', 'gate go: waits for an approval'],
  }),
}

const detailsOf = async (object: KubernetesObject, objects = hub) => {
  const reads: string[] = []
  const { details } = await explain(object, {
    now: Date.parse(time),
    read: async ({ kind, namespace, name }) => {
      reads.push(`${kind}/${namespace}/${name}`)
      return objects[`${kind}/${namespace}/${name}`] as KubernetesObject | undefined
    },
  })
  return { details: new Map(details.map(([name, text]) => [name, text])), reads }
}

const pin = { 'keelson.dev/pin': 'apps/web-1@2026-01-01T00:00:00.000Z' }
const held = 'RolloutRun apps/web-1 holds it at revision v1, digest sha256:1, since 2026-01-01T00:00:00.000Z'

test('why says which run holds a unit, at which stage the latest run is, and what that waits for', async () => {
  const { details } = await detailsOf(unit([condition('Pinned', 'True', 'Pinned', held)], pin))
  assert.equal(details.get('held'), held)
  assert.equal(
    details.get('rollout'),
    'RolloutRun apps/web-2 is Running, at stage europe, and waits for gate soak: opens at 10:00; gate go: waits for an approval',
  )
  const others = { ...hub, 'Rollout/apps/web': { metadata: {}, status: { currentRun: 'web-1' } } }
  const same = await detailsOf(unit([condition('Pinned', 'True', 'Pinned', held)], pin), others)
  assert.equal(same.details.get('rollout'), 'RolloutRun apps/web-1 is Succeeded')
})

test('why says what is planned of a proposed run, and why it is not', async () => {
  const plan = 'RolloutRun apps/web-2: plan app-1, +1, digest sha256:2'
  assert.equal(
    (await detailsOf(unit([condition('Planned', 'True', 'Planned', plan)], pin))).details.get('planned'),
    plan,
  )
  const failed = await detailsOf(unit([condition('Planned', 'False', 'PlanFailed', 'the build failed')], pin))
  assert.equal(failed.details.get('not planned'), 'the build failed')
})

test('why of a unit without a Rollout reads nothing more, and one that waits says when it continues', async () => {
  const { details, reads } = await detailsOf(unit([]))
  assert.deepEqual([reads, details.has('held'), details.has('rollout')], [[], false, false])
  const first = await detailsOf(unit([condition('Waiting', 'True', 'WaitsForRollout', 'its first revision waits')]))
  assert.equal(first.details.get('next'), 'its first revision is applied when its stage starts')
  const on = { 'keelson.dev/depends-on': 'HelmRelease/cache@paris' }
  const dependent = await detailsOf(unit([condition('Waiting', 'True', 'DependencyNotReady', 'everything waits')], on))
  assert.equal(dependent.details.get('next'), 'it continues as soon as its dependencies are ready')
  assert.match(dependent.details.get('because of') ?? '', /HelmRelease\/apps\/cache, which does not exist/)
})
