import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { inSlot } from '../../lib/reconcile/windows/confinement.ts'
import { type OpenStoreWorld, within } from './store-world.ts'

/** The passes over the units of a cluster, in as many slots as that allows. */
export const describeSlots = (name: string, open: OpenStoreWorld): void => {
  describe(`slots: ${name}`, () => {
    const access = { kind: 'Secret', namespace: 'apps', name: 'prod' } as const
    const pass = { signal: new AbortController().signal } as Parameters<typeof inSlot<KubernetesObject, void>>[2]

    test(
      'as many passes as a cluster allows run there at a time, whoever asks',
      within(open, async ({ leases, clock }) => {
        const share = { passes: 3, access }
        let running = 0
        let most = 0
        let done = 0
        const unit = async (): Promise<void> => {
          for (;;) {
            const turn = await inSlot({ leases, clock }, { share }, pass, async () => {
              most = Math.max(most, ++running)
              for (let i = 0; i < 3; i++) await new Promise(setImmediate)
              running--
              done++
            })
            if (turn) return
            await new Promise(setImmediate)
          }
        }
        await Promise.all(Array.from({ length: 12 }, unit))
        assert.deepEqual([done, running], [12, 0])
        assert.ok(most <= 3, `${most} at a time`)
      }),
    )

    test(
      'a pass without a free slot does not begin, clusters do not wait for each other, and a failed pass frees its slot',
      within(open, async ({ leases, clock }) => {
        const share = { passes: 1, access }
        const elsewhere = { passes: 1, access: { ...access, name: 'staging' } }
        const failing = inSlot({ leases, clock }, { share }, pass, async () => {
          assert.equal(await inSlot({ leases, clock }, { share }, pass, async () => {}), undefined)
          assert.ok(await inSlot({ leases, clock }, { share: elsewhere }, pass, async () => {}))
          throw new Error('failed')
        })
        await assert.rejects(failing, /failed/)
        assert.ok(await inSlot({ leases, clock }, { share }, pass, async () => {}))
      }),
    )
  })
}
