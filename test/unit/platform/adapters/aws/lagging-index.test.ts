import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../../lib/foundations/kinds/object.ts'
import type { Message } from '../../../../../lib/platform/ports/queue.ts'
import { createLoop, defaultLoopSettings, type LoopPorts } from '../../../../../lib/reconcile/runtime/loop.ts'
import type { Reconciler } from '../../../../../lib/reconcile/runtime/reconciler.ts'
import { simulatedDynamo } from '../../../../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../../../../bed/aws/simulated-store.ts'
import { manualClock } from '../../../../contracts/manual-clock.ts'
import { widget, widgets } from '../../../../contracts/store-world.ts'

test('a tick enqueues all that is due, each once, although the index shows writes a moment later', async () => {
  const clock = manualClock()
  let lag = 0
  const dynamo = simulatedDynamo({ indexLagMs: () => lag, now: clock.now })
  const { objects, schedule, leases } = simulatedStore(dynamo, clock)
  const count = 2000
  const due = clock.now() - 1
  for (let index = 0; index < count; index++)
    await objects.commit({ op: 'create', ref: widget(`w${index}`), body: '{}', refersTo: [], due, group: 'g' })

  lag = 100
  const sent: Message[] = []
  const queue = { send: async (messages: readonly Message[]) => void sent.push(...messages) }
  const reconciler = { kind: widgets, stage: 'apply' } as Reconciler<KubernetesObject>
  const ports = { schedule, leases, clock, queue, hub: {} } as unknown as LoopPorts
  await createLoop(ports, [reconciler], defaultLoopSettings).tick()
  assert.equal(sent.length, count)
  assert.equal(new Set(sent.map(({ ref }) => ref.name)).size, count)
})
