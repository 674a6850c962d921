/** Actions of people in the console, and of agents, as Events. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../../../../lib/foundations/kinds/event.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { recordActions } from '../../../../lib/hub/apiserver/action-events.ts'
import { createApiServer } from '../../../../lib/hub/apiserver/api-server.ts'
import { createEventRecorder } from '../../../../lib/signals/notify/event-recorder.ts'
import { by, hubWorld, registry } from '../store/world.ts'

const digest = `sha256:${'1'.repeat(64)}`

const world = async () => {
  const { hub, clock } = await hubWorld()
  const failures: unknown[] = []
  const handle = createApiServer({
    ...{ hub, clock, kinds: () => registry },
    authorizer: {
      authorize: async () => ({ allowed: true, reason: '' }),
      requireGrantable: async () => {},
    } as never,
    authenticate: async () => ({ name: 'jane', groups: ['system:authenticated'] }),
    actions: recordActions(createEventRecorder({ hub, clock }).record),
    onError: error => failures.push(error),
  })
  await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } }, by('test'))
  const spec = { interval: '10m', prune: true, path: './', sourceRef: { kind: 'GitRepository', name: 'app' } }
  const unit = {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'web', namespace: 'apps' },
  }
  await hub.create({ ...unit, spec } as KubernetesObject, by('test'))
  const units = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/apps/kustomizations/web'
  const send = async (method: string, path: string, body: object, manager = 'keelson-console', more = '') => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const url = `https://hub.test${path}?fieldManager=${manager}${more}`
    const request = new Request(url, { method, headers: { 'content-type': type }, body: JSON.stringify(body) })
    const response = await handle(request, undefined, undefined, '192.0.2.7')
    assert.ok(response.ok, await response.text())
  }
  const events = async () => {
    const { items } = await hub.list<Event>({ group: '', kind: 'Event', namespace: 'apps' })
    return items.map(({ reason, message, involvedObject, reportingComponent }) =>
      [reportingComponent, `${involvedObject.kind}/${involvedObject.name}`, reason, message].join(' | '),
    )
  }
  const annotate = (annotations: object) => ({ metadata: { annotations } })
  return { hub, send, events, annotate, units, failures }
}

test('UI-07 each action in the console is an Event of its object: who, what, why, and from where', async () => {
  const { send, events, annotate, units, failures } = await world()
  await send('PATCH', units, annotate({ 'reconcile.fluxcd.io/requestedAt': '1' }))
  await send('PATCH', units, { spec: { suspend: true }, ...annotate({ 'keelson.dev/suspended-for': 'we measure' }) })
  await send('PATCH', units, { spec: { suspend: false } })
  await send('PATCH', units, annotate({ 'keelson.dev/override-window': '2026-12-01T00:00:00Z the outage' }))
  await send('PATCH', units, annotate({ 'keelson.dev/allow-prune': `${digest}@2` }))
  const forced = { 'reconcile.fluxcd.io/requestedAt': '2', 'reconcile.fluxcd.io/forceAt': '2' }
  await send('PATCH', units, annotate(forced))
  const from = 'keelson-console | Kustomization/web'
  assert.deepEqual((await events()).toSorted(), [
    `${from} | DeletionsAllowed | jane from 192.0.2.7 allowed the deletions with: ${digest}`,
    `${from} | ForceRequested | jane from 192.0.2.7 requested a release whether anything has changed or not`,
    `${from} | ReconciliationRequested | jane from 192.0.2.7 requested a reconciliation`,
    `${from} | Resumed | jane from 192.0.2.7 resumed`,
    `${from} | Suspended | jane from 192.0.2.7 suspended: we measure`,
    `${from} | WindowOverridden | jane from 192.0.2.7 overrode its windows until 2026-12-01T00:00:00Z: the outage`,
  ])
  assert.deepEqual(failures, [])
})

test('UI-07 a decision is an Event of what was decided about, and an agent’s action says that it was one', async () => {
  const { hub, send, events } = await world()
  const unit = { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'web' }
  await hub.create(
    {
      ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Plan', metadata: { name: 'p', namespace: 'apps' } },
      ...{ spec: { unit, digest, counts: {} }, status: { phase: 'Waiting' } },
    } as KubernetesObject,
    by('test'),
  )
  const approval = {
    ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Approval', metadata: { generateName: 'p-' } },
    spec: { subject: { kind: 'Plan', name: 'p' }, digest, decision: 'Rejected', comment: 'not on a Friday' },
  }
  await send('POST', '/apis/fleet.keelson.dev/v1alpha1/namespaces/apps/approvals', approval, 'keelson-mcp')
  assert.deepEqual(await events(), [
    `keelson-mcp | Plan/p | Rejected | jane from 192.0.2.7 rejected ${digest}: not on a Friday`,
  ])
})

test('UI-07 a dry run, a change that is no action, and what kubectl and flux do leave no Event', async () => {
  const { send, events, annotate, units } = await world()
  await send('PATCH', units, { spec: { suspend: true } }, 'keelson-console', '&dryRun=All')
  await send('PATCH', units, annotate({ note: 'x' }))
  await send('PATCH', units, annotate({ 'reconcile.fluxcd.io/requestedAt': '1' }), 'kubectl-annotate')
  await send('PATCH', units, { spec: { suspend: true } }, 'flux')
  assert.deepEqual(await events(), [])
})
