import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../../../../lib/foundations/kinds/event.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { createEventRecorder } from '../../../../lib/signals/notify/event-recorder.ts'
import { openWorld } from '../../reconcile/world.ts'

const repository: KubernetesObject = {
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
  metadata: {
    name: 'app',
    namespace: 'default',
    uid: 'u1',
    annotations: { 'event.toolkit.fluxcd.io/team': 'a', 'other/key': 'b' },
  },
}
const stored = {
  severity: 'info',
  reason: 'NewArtifact',
  message: 'stored artifact',
  metadata: { 'source.toolkit.fluxcd.io/revision': 'main@sha1:1' },
} as const

const recorded = async (
  story: (recorder: ReturnType<typeof createEventRecorder>, pass: () => Promise<void>) => Promise<void>,
) => {
  const world = await openWorld(() => [])
  try {
    await story(createEventRecorder(world), () => world.clock.advance(60_000))
    const { items } = await world.hub.list<Event>({ group: '', kind: 'Event' })
    return items
  } finally {
    await world.close()
  }
}

test('writes an Event as client-go does, with the annotations that are meant for alerts', async () => {
  const [event, ...more] = await recorded(recorder => recorder.record(repository, stored, 'source-controller'))
  assert.equal(more.length, 0)
  const { metadata, apiVersion, kind, ...rest } = event!
  assert.match(metadata.name, /^app\.[0-9a-f]{16}$/)
  assert.deepEqual(metadata.annotations, {
    'event.toolkit.fluxcd.io/team': 'a',
    'source.toolkit.fluxcd.io/revision': 'main@sha1:1',
  })
  assert.deepEqual(rest, {
    involvedObject: {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'GitRepository',
      namespace: 'default',
      name: 'app',
      uid: 'u1',
    },
    type: 'Normal',
    reason: 'NewArtifact',
    message: 'stored artifact',
    count: 1,
    firstTimestamp: '2026-01-01T00:00:00.000000Z',
    lastTimestamp: '2026-01-01T00:00:00.000000Z',
    eventTime: null,
    source: { component: 'source-controller' },
    reportingComponent: 'source-controller',
    reportingInstance: '',
  })
})

test('counts up what happens again, and keeps apart what differs', async () => {
  const failed = { severity: 'error', reason: 'GitOperationFailed', message: 'no such branch' } as const
  const events = await recorded(async (recorder, aMinute) => {
    for (const occurrence of [stored, failed, failed]) {
      await recorder.record(repository, occurrence, 'source-controller')
      await aMinute()
    }
    await recorder.record(
      { ...repository, metadata: { ...repository.metadata, uid: 'u2' } },
      failed,
      'source-controller',
    )
  })
  const shown = events.map(
    ({ type, reason, count, firstTimestamp, lastTimestamp, involvedObject }) =>
      `${involvedObject.uid} ${type} ${reason} ${count}x ${firstTimestamp} ${lastTimestamp}`,
  )
  assert.deepEqual(shown.sort(), [
    'u1 Normal NewArtifact 1x 2026-01-01T00:00:00.000000Z 2026-01-01T00:00:00.000000Z',
    'u1 Warning GitOperationFailed 2x 2026-01-01T00:01:00.000000Z 2026-01-01T00:02:00.000000Z',
    'u2 Warning GitOperationFailed 1x 2026-01-01T00:03:00.000000Z 2026-01-01T00:03:00.000000Z',
  ])
})

test('Events of one moment have times in the order in which they were recorded, also after the clock was set back', async () => {
  const reasons = ['Progressing', 'ApplySucceeded', 'HealthCheckPassed', 'ReconciliationSucceeded']
  const times: string[] = []
  await recorded(async recorder => {
    for (const reason of reasons) await recorder.record(repository, { ...stored, reason }, 'kustomize-controller')
  }).then(events => {
    const sorted = events.toSorted((a, b) => (a.lastTimestamp! < b.lastTimestamp! ? -1 : 1))
    assert.deepEqual(
      sorted.map(({ reason }) => reason),
      reasons,
    )
    times.push(...sorted.map(({ lastTimestamp }) => lastTimestamp!))
  })
  assert.equal(new Set(times).size, reasons.length)

  const clock = { time: Date.UTC(2026, 0, 1), now: () => clock.time }
  const written: string[] = []
  const hub = { create: async (event: { lastTimestamp: string }) => written.push(event.lastTimestamp) }
  const recorder = createEventRecorder({ hub, clock } as unknown as Parameters<typeof createEventRecorder>[0])
  for (const step of [0, 5, -3, -3_600_000]) {
    clock.time += step
    await recorder.record(repository, stored, 'source-controller')
  }
  assert.deepEqual(written, [
    '2026-01-01T00:00:00.000000Z',
    '2026-01-01T00:00:00.005000Z',
    '2026-01-01T00:00:00.005001Z',
    '2025-12-31T23:00:00.002000Z',
  ])
})
