import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { Message } from '../../../../lib/platform/ports/queue.ts'
import { type VisitRecord, visitRef } from '../../../../lib/platform/ports/visits.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { usageShares } from '../../../../lib/reconcile/runtime/usage-shares.ts'
import { createVisits, type VisitPorts } from '../../../../lib/reconcile/runtime/visits.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'
import { kustomizationRef } from '../../hub/store/world.ts'

const visit = visitRef('apply', 'fleet/prod')

/** A visit of units at rest, some of which hang until their signal ends. */
const visitOf = async (names: readonly string[], hanging: readonly string[], visitMs: number) => {
  const clock = { ...manualClock(), monotonic: () => performance.now() }
  let record: VisitRecord = {
    members: names.map(name => ({ ref: kustomizationRef(name), due: 0, every: 600_000 })),
    due: 0,
    version: '1',
  }
  const sent: Message[] = []
  const madeDue: string[] = []
  const ports = {
    clock,
    hub: {
      get: async ({ name, kind }: ObjectRef) => {
        if (name === 'broken') throw new Error('its record cannot be read')
        return atRest(kind, name)
      },
    },
    visits: {
      read: async () => record,
      write: async (_: ObjectRef, { members, due }: VisitRecord) => {
        record = { members, due, version: '2' }
        return true
      },
    },
    schedule: { setDue: async ({ name }: ObjectRef) => void madeDue.push(name) },
    queue: { send: async (messages: readonly Message[]) => void sent.push(...messages) },
    random: { fraction: () => 0.5 },
    log: { info: () => {}, error: () => {} },
    shares: usageShares(clock, undefined),
  } as unknown as VisitPorts
  const reconciler = {
    kind: kustomizationRef(''),
    intervalOf: () => 600_000,
    reconcile: async ({ metadata: { name } }: KubernetesObject, { signal }: { signal: AbortSignal }) => {
      if (hanging.includes(name))
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      return { type: 'done', reason: 'Succeeded', message: 'applied' }
    },
  } as unknown as Reconciler<KubernetesObject>
  const addressing = {
    messageTo: async (ref: ObjectRef) => ({ stage: 'apply', ref }) as const,
    visitOf: () => visit.name,
  }
  const settings = { jitterPercentage: 0, tickMs: 60_000, concurrency: 2, visitMs }
  await createVisits(ports, [reconciler], addressing, settings).handle({ stage: 'apply', ref: visit })
  const dueOf = new Map(record.members.map(({ ref, due }) => [ref.name, due - clock.now()]))
  return { sent: sent.map(({ ref }) => ref.name), madeDue, dueOf }
}

const atRest = (kind: string, name: string): KubernetesObject => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind,
  metadata: { name, namespace: 'default', generation: 1, finalizers: ['finalizers.fluxcd.io'] },
  spec: {},
  status: {
    observedGeneration: 1,
    conditions: [
      {
        ...{ type: 'Ready', status: 'True', reason: 'Succeeded', message: 'applied', observedGeneration: 1 },
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
})

test('one that hangs has its share of the time and then a pass of its own; the others have theirs', async () => {
  const { sent, madeDue, dueOf } = await visitOf(['a', 'hangs', 'b', 'c'], ['hangs'], 2_000)
  assert.deepEqual([sent, madeDue], [['hangs'], ['hangs']])
  assert.deepEqual([...dueOf.keys()], ['a', 'b', 'c'])
  assert.ok([...dueOf.values()].every(due => due === 600_000))
})

test('one that cannot even be read has a pass of its own, and takes no other along', async () => {
  const { sent, dueOf } = await visitOf(['a', 'broken', 'b'], [], 2_000)
  assert.deepEqual([sent, [...dueOf.keys()]], [['broken'], ['a', 'b']])
})

test('who had no turn when the time was over is due at once, and is called again', async () => {
  // Both that go on at a time hang for as long as the visit may take: their share is all of it.
  const { sent, dueOf } = await visitOf(['hangs', 'hangs-too'], ['hangs', 'hangs-too'], 100)
  assert.deepEqual([sent, [...dueOf.keys()]], [[visit.name], ['hangs', 'hangs-too']])
  assert.ok([...dueOf.values()].every(due => due <= 0))
})
