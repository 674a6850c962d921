import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { GateSpec } from '../../../../lib/foundations/kinds/rollout-stages.ts'
import { digestOfRun } from '../../../../lib/foundations/rules/stage-approval.ts'
import type { GatePorts } from '../../../../lib/reconcile/rollout/judge-gate.ts'
import { openScene, type Scene, tier } from './scene.ts'

const minute = 60_000

/** A run whose first stage is done, with a gate after it, or before the next one. */
const behindGate = async (gate: GateSpec, at: 'before' | 'after' = 'after', query?: GatePorts['query']) => {
  const stages = [
    { ...tier('canary'), ...(at === 'after' && { after: [gate] }) },
    { name: 'others', ...(at === 'before' && { before: [gate] }) },
  ]
  const tiers = { canary: ['canary'], asia: ['tokyo'] }
  const scene = await openScene({ tiers, stages, ...(query && { query }) })
  await scene.advance(2 * minute)
  return scene
}

const statusOf = async (scene: Scene) => (await scene.run('web-1')).status ?? {}

const isShut = async (scene: Scene, reason: RegExp | string) => {
  const { phase, waitsFor, message, stages } = await statusOf(scene)
  assert.equal(phase, 'Running', JSON.stringify({ waitsFor, message }))
  const [wait = ''] = waitsFor ?? []
  if (typeof reason === 'string') assert.equal(wait, reason)
  else assert.match(wait, reason)
  assert.deepEqual(
    stages?.map(({ startedAt }) => startedAt !== undefined),
    [true, false],
  )
}

const opens = async (scene: Scene, after = 2 * minute) => {
  await scene.advance(after)
  assert.equal((await statusOf(scene)).phase, 'Succeeded')
  await scene.close()
}

const label = (scene: Scene, labels: Readonly<Record<string, string>>) =>
  scene.hub.patch(
    { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'apps', name: 'canary' },
    { type: 'merge', patch: { metadata: { labels } } },
    { fieldManager: 'test' },
  )

test('a gate opens when its expression over units and clusters is true', async () => {
  const expression =
    "clusters.all(c, c.metadata.labels['checked'] == 'yes') && units.all(u, u.status.lastAppliedRevision == 'v1')"
  const scene = await behindGate({ name: 'checks', expression })
  await isShut(scene, /^gate checks: .*no such key/)
  await label(scene, { checked: 'no' })
  await scene.advance(2 * minute)
  await isShut(scene, `gate checks: its expression is not true: ${expression}`)
  await label(scene, { checked: 'yes' })
  await opens(scene)
})

test('the expression of a gate before a stage is over the stages before it', async () => {
  const seen = "units.map(u, u.metadata.name) == ['canary'] && clusters.map(c, c.metadata.name) == ['canary']"
  await opens(await behindGate({ expression: seen }, 'before'))
  const scene = await behindGate({ expression: `!(${seen})` }, 'before')
  await isShut(scene, /^gate expression: its expression is not true/)
  await scene.close()
})

for (const [title, expression, shut, open] of [
  ['a value of Prometheus', 'value < 0.5', { value: 0.7 }, { value: 0.2 }],
  ['a whole value', 'value < 0.5', { value: 1 }, { value: 0 }],
  ['a response without a value', 'value != null && value > 1', {}, { value: 2 }],
  ['the body', "body.state == 'good'", { body: { state: 'bad' } }, { body: { state: 'good' } }],
  ['the HTTP status', 'status == 204', { status: 503 }, { status: 204 }],
  ['a request that fails at first', 'status == 200', new Error('connection refused'), {}],
] as const)
  test(`a gate opens by a query: ${title}`, async () => {
    const requests: number[] = []
    let result: object = shut
    const gate = { name: 'errors', query: { url: 'https://metrics.example.com', expression, interval: '10m' } }
    const scene = await behindGate(gate, 'after', async url => {
      requests.push(requests.length)
      assert.equal(url, 'https://metrics.example.com')
      if (result instanceof Error) throw result
      return { status: 200, body: null, value: null, ...result }
    })
    const why =
      shut instanceof Error ? 'the query failed: connection refused' : `its expression is not true: ${expression}`
    await isShut(scene, `gate errors: ${why}`)
    const before = requests.length
    result = open
    await opens(scene, 11 * minute)
    assert.ok(requests.length > before)
  })

const decide = async (scene: Scene, user: string, decision: 'Approved' | 'Rejected', more: object = {}) => {
  const digest = digestOfRun(await scene.run('web-1'))
  const subject = { kind: 'RolloutRun', name: 'web-1', stage: 'canary' }
  const spec = { subject, digest, decision, ...more }
  const metadata = { name: `${user}-${decision.toLowerCase()}-${Object.keys(more).join('-')}x`, namespace: 'apps' }
  const approval = { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Approval', metadata, spec }
  await scene.hub.create(approval as KubernetesObject, { fieldManager: 'test', user })
  await scene.settle()
}

test('a gate opens when enough users have approved exactly these artifacts, at this stage', async () => {
  const scene = await behindGate({ name: 'go', approval: { minApprovals: 2 } })
  await isShut(scene, 'gate go: waits for 2 approvals')
  await decide(scene, 'eve', 'Approved', { digest: `sha256:${'0'.repeat(64)}` })
  await decide(scene, 'eve', 'Approved', { subject: { kind: 'RolloutRun', name: 'web-1', stage: 'others' } })
  await isShut(scene, 'gate go: waits for 2 approvals')
  await decide(scene, 'ann', 'Approved')
  await decide(scene, 'ann', 'Approved', { comment: 'again' })
  await isShut(scene, 'gate go: waits for an approval, approved by ann')
  await decide(scene, 'ben', 'Approved')
  assert.equal((await statusOf(scene)).phase, 'Succeeded', 'an approval is news for the Rollout')
  await scene.close()
})

test('an approval that was given before a stage was done does not open a gate after it', async () => {
  const scene = await openScene({
    tiers: { canary: ['canary'] },
    stages: [{ ...tier('canary'), before: [{ wait: '10m' }], after: [{ approval: {} }] }],
  })
  await scene.advance(minute)
  await decide(scene, 'ann', 'Approved')
  await scene.advance(12 * minute)
  assert.deepEqual((await statusOf(scene)).waitsFor, ['gate approval: waits for an approval'])
  await decide(scene, 'ann', 'Approved', { comment: 'now I have seen it' })
  assert.equal((await statusOf(scene)).phase, 'Succeeded')
  await scene.close()
})

test('a rejection pauses the run', async () => {
  const scene = await behindGate({ name: 'go', approval: {} })
  await decide(scene, 'ann', 'Rejected', { comment: 'not on a Friday' })
  const { phase, message } = await statusOf(scene)
  assert.deepEqual([phase, message], ['Paused', 'paused: gate go of stage canary: rejected by ann: not on a Friday'])
  await scene.close()
})

test('a gate opens when its windows allow changes', async () => {
  // The clock of a scene begins at midnight UTC.
  const window = { action: 'Allow', schedule: '0 2 * * *', duration: '2h' } as const
  const scene = await behindGate({ name: 'nights', windows: [window] })
  await isShut(scene, /^gate nights: .*0 2 \* \* \*/)
  await scene.advance(115 * minute)
  await isShut(scene, /^gate nights: /)
  await opens(scene, 10 * minute)
})
