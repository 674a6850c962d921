/** What the record of a webhook's call costs on AWS, in write units of the table as it bills them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import type { Receiver } from '../../../lib/foundations/kinds/receiver.ts'
import { createDeliveryOutcomes } from '../../../lib/reconcile/runtime/delivery-outcomes.ts'
import type { End } from '../../../lib/reconcile/runtime/pass-run.ts'
import { createDeliveryLog } from '../../../lib/signals/webhook/delivery-log.ts'
import { quotas } from '../../../lib/signals/webhook/delivery-quota.ts'
import { createProcessedRequests } from '../../../lib/signals/webhook/processed-requests.ts'
import { readPush } from '../../../lib/signals/webhook/push.ts'
import { simulatedDynamo } from '../../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../../bed/aws/simulated-store.ts'
import { manualClock } from '../../contracts/manual-clock.ts'
import { githubPush } from '../signals/webhook/sent-by-forges.ts'

/** As long as what KMS makes of a data key, with the rest of the envelope. */
const envelope = 184 + 3 + 12 + 16

const receiver = {
  apiVersion: 'notification.toolkit.fluxcd.io/v1',
  kind: 'Receiver',
  metadata: { name: 'github', namespace: 'flux-system', uid: '7c1e2a52-6d1f-4a3c-9c55-0a5a0f6f9b10' },
  spec: { type: 'github', secretRef: { name: 'token' }, resources: [{ kind: 'GitRepository', name: 'fleet' }] },
} as unknown as Receiver

/** The headers with which GitHub's push arrives at a function URL. */
const headers = new Headers({
  accept: '*/*',
  'content-length': '7324',
  'content-type': 'application/json',
  host: 'k3jx5n2p7qgaw6mzt4vhr1yd8cuf0seb.lambda-url.eu-west-1.on.aws',
  'user-agent': 'GitHub-Hookshot/7f3b2a1',
  'x-amzn-tls-cipher-suite': 'TLS_AES_128_GCM_SHA256',
  'x-amzn-tls-version': 'TLSv1.3',
  'x-amzn-trace-id': 'Root=1-6567b1f2-3c8e5d0a4b7f1e2d9a6c8b0f',
  'x-forwarded-for': '140.82.115.243',
  'x-forwarded-port': '443',
  'x-forwarded-proto': 'https',
  'x-github-delivery': 'f6266f16-1bf3-46a5-9ea4-602e06ead473',
  'x-github-event': 'push',
  'x-github-hook-id': '417890123',
  'x-github-hook-installation-target-id': '186853002',
  'x-github-hook-installation-target-type': 'repository',
  'x-hub-signature': 'sha1=7d38cdd689735b008b3c702edd92eea23791c5f6',
  'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
})

const source = {
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
  metadata: { name: 'fleet', namespace: 'flux-system' },
} as unknown as KubernetesObject

const open = () => {
  const dynamo = simulatedDynamo()
  const clock = manualClock()
  const { deliveries } = simulatedStore(dynamo, clock)
  const keys = {
    seal: async (plain: Uint8Array) => Buffer.concat([Buffer.alloc(envelope), plain]),
    open: async (sealed: Uint8Array) => sealed.subarray(envelope),
  }
  const log = createDeliveryLog({ deliveries, keys, clock, random: { fraction: () => 0.5 } })
  const body = Buffer.from(JSON.stringify(githubPush))
  const call = { header: (name: string) => headers.get(name) ?? undefined, body }
  const receive = (verified: boolean) => {
    const startedAt = clock.now()
    const received = {
      receiver,
      call,
      headers,
      remoteAddress: '140.82.115.243',
      startedAt,
      secret: new Map([['token', 'shared-secret']]),
    }
    const handled = verified
      ? {
          ...({ result: 'Triggered', status: 200, text: 'ok: requested 1 to reconcile', verified } as const),
          ...{ event: 'push', sender: 'ada', push: readPush(githubPush), triggered: [source] },
        }
      : ({ result: 'Refused', status: 400, text: 'no header has a valid signature of the body', verified } as const)
    const place = log.placeOf(receiver, startedAt)
    return { place, done: log.record(place, received, handled) }
  }
  return { dynamo, clock, deliveries, call, receive }
}

test('a push costs one write unit to be recorded, one with its outcome, and one to be known again', async () => {
  const { dynamo, clock, deliveries, call, receive } = open()
  const processed = createProcessedRequests(deliveries, clock)
  const request = { call, receiver, verified: {} }
  assert.equal(await processed.includes(request), false)
  dynamo.takeUnits()
  const { place, done } = receive(true)
  assert.equal(await done, true)
  assert.deepEqual(dynamo.takeUnits(), { read: 1, write: 1 })
  await processed.add(request)
  assert.deepEqual(dynamo.takeUnits(), { read: 0, write: 1 })
  assert.equal(await processed.includes(request), true)
  dynamo.takeUnits()

  const requestedAt = '2026-11-28T12:00:00.000123456Z'
  const mark = JSON.stringify({ ...place, index: 0, requestedAt })
  const annotations = { 'reconcile.fluxcd.io/requestedAt': requestedAt, 'keelson.dev/delivery': mark }
  const before = { ...source, metadata: { ...source.metadata, annotations } }
  const status = {
    lastHandledReconcileAt: requestedAt,
    artifact: { revision: `main@sha1:${githubPush.after}` },
    conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: '' }],
  }
  const outcomes = createDeliveryOutcomes({ deliveries, clock })
  const end = { outcome: 'done', due: 1 } as unknown as End
  await clock.advance(1500)
  await outcomes.record(before, { ...before, status } as KubernetesObject, end)
  assert.deepEqual(dynamo.takeUnits(), { read: 0, write: 1 })
  const [{ outcomes: found = [] } = {}] = await deliveries.page({ receiver: place.receiver, limit: 1 })
  assert.deepEqual(
    found.map(({ ready, revision, at }) => [ready, revision, at - place.startedAt]),
    [[true, `main@sha1:${githubPush.after}`, 1500]],
  )
  dynamo.takeUnits()

  // Passes of later intervals find nothing to record.
  for (let i = 0; i < 3; i++) {
    const rested = { ...before, status } as KubernetesObject
    await outcomes.record(rested, rested, end)
  }
  assert.deepEqual(dynamo.takeUnits(), { read: 0, write: 0 })
})

test('refused calls cost one write unit each until the quota is used up, then none', async () => {
  const { dynamo, receive } = open()
  for (let i = 0; i < quotas.refused.burst; i++) assert.equal(await receive(false).done, true)
  assert.equal(dynamo.takeUnits().write, quotas.refused.burst)
  for (let i = 0; i < 20; i++) assert.equal(await receive(false).done, false)
  assert.deepEqual(dynamo.takeUnits(), { read: 20, write: 0 })
})
