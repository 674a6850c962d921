/** What the API refuses in the gates of a Rollout or a RolloutStrategy, and says about it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GateSpec } from '../../../../lib/foundations/kinds/rollout-stages.ts'
import { apiWorld } from '../apiserver/world.ts'

const folder = '/apis/fleet.keelson.dev/v1alpha1/namespaces/default'
const sources = [{ kind: 'GitRepository', name: 'app' }]

const send = async (kind: 'Rollout' | 'RolloutStrategy', spec: object) => {
  const body = { apiVersion: 'fleet.keelson.dev/v1alpha1', kind, metadata: { name: 'web' }, spec }
  const path = `${folder}/${kind === 'Rollout' ? 'rollouts' : 'rolloutstrategies'}`
  const { status, json } = await (await apiWorld()).send('POST', path, { body })
  return { status, message: (json as { readonly message?: string }).message ?? '' }
}

/** A Rollout and a RolloutStrategy with the same stages. */
const sendBoth = (stages: readonly object[]) =>
  Promise.all([send('Rollout', { sources, stages }), send('RolloutStrategy', { stages })])

const query = (expression: string, url = 'https://metrics.example.com', interval = '1m') => ({
  query: { url, expression, interval },
})

const refused: readonly (readonly [title: string, gate: object, message: RegExp])[] = [
  [
    'text that is no expression',
    { expression: 'units.size( > 0' },
    /spec\.stages\[0\]\.after\[0\]\.expression: .*failed to parse/s,
  ],
  [
    'a variable that there is not',
    { expression: 'unit.size() > 0' },
    /after\[0\]\.expression: .*Unknown variable: unit/s,
  ],
  [
    'a number in place of a decision',
    { expression: '1 + 1' },
    /after\[0\]\.expression: .*must be true or false, not of type int/,
  ],
  [
    'the variables of another gate',
    query('units.size() > 0'),
    /after\[0\]\.query\.expression: .*Unknown variable: units/s,
  ],
  [
    'a URL without a host',
    query('status == 200', 'https://'),
    /after\[0\]\.query\.url: .*must be the URL of a host, without credentials/,
  ],
  ['a password in a URL', query('status == 200', 'https://ann:secret@metrics.example.com'), /after\[0\]\.query\.url/],
  [
    'requests without end',
    query('status == 200', undefined, '0s'),
    /after\[0\]\.query\.interval: .*must be more than 0s/,
  ],
  ['two gates in one', { wait: '1m', approval: {} }, /exactly one of wait, healthyFor/],
  [
    'a window that is none',
    { windows: [{ action: 'Allow', schedule: 'never', duration: '1h' }] },
    /after\[0\]\.windows\[0\]/,
  ],
]

for (const [title, gate, message] of refused)
  test(`RO-02 the API refuses a gate with ${title}, and names the field`, async () => {
    for (const answer of await sendBoth([{ name: 'canary', after: [gate] }])) {
      assert.equal(answer.status, 422, answer.message)
      assert.match(answer.message, message)
    }
  })

test('RO-02 the API refuses gates of each cluster as those of a stage, and approvals of the plans of one cluster', async () => {
  for (const [gate, message] of [
    [{ expression: 'unit.size() > 0' }, /stages\[0\]\.eachCluster\.before\[0\]\.expression: .*Unknown variable: unit/s],
    [{ approval: { of: 'Plans' } }, /eachCluster\.before\[0\]\.approval\.of: .*plans are approved before a stage/],
  ] as const) {
    for (const answer of await sendBoth([{ name: 'canary', eachCluster: { before: [gate] } }])) {
      assert.equal(answer.status, 422, answer.message)
      assert.match(answer.message, message)
    }
  }
})

const accepted: readonly GateSpec[] = [
  { expression: "units.all(u, u.metadata.labels['a'] == 'b') && clusters[0].metadata.name != 'x'" },
  { ...query('value != null && value < 0.5') },
  { ...query("status == 200 && body.state == 'good'") },
  { ...query('body.good') },
]

test('RO-02 the API accepts expressions over what a gate has, whatever their types', async () => {
  for (const gate of accepted)
    for (const { status, message } of await sendBoth([{ name: 'canary', after: [gate] }]))
      assert.equal(status, 201, message)
})

test('RO-02 a Rollout has stages of its own or names a RolloutStrategy, and never both', async () => {
  const strategyRef = { name: 'careful' }
  const either =
    /^Rollout\.fleet\.keelson\.dev "web" is invalid: spec: .*exactly one of strategyRef or stages must be set/
  for (const [spec, message] of [
    [{}, either],
    [{ strategyRef, stages: [{ name: 'all' }] }, either],
    [
      { strategyRef, onFailure: 'Continue' },
      /onFailure, .* may not be set with strategyRef: the RolloutStrategy has them/,
    ],
    [{ strategyRef, hotfix: {} }, /may not be set with strategyRef/],
    [{ strategyRef: {} }, /spec\.strategyRef\.name: Required value/],
  ] as const) {
    const answer = await send('Rollout', { sources, ...spec })
    assert.equal(answer.status, 422, answer.message)
    assert.match(answer.message, message)
  }
  assert.equal((await send('Rollout', { sources, strategyRef })).status, 201)
  assert.match((await send('RolloutStrategy', {})).message, /spec\.stages: Required value/)
})
