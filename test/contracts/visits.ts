import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { visitRef } from '../../lib/platform/ports/visits.ts'
import { type OpenStoreWorld, widget, within } from './store-world.ts'

/** What every platform must do with the records of visits. */
export function describeVisits(name: string, open: OpenStoreWorld): void {
  const visit = visitRef('apply', 'fleet/prod')
  const members = [
    { ref: widget('a'), due: 500, every: 400 },
    { ref: widget('b'), due: 600, every: 400 },
  ]

  describe(`visits: ${name}`, () => {
    test(
      'have a version, so that one of two writers starts over',
      within(open, async ({ visits }) => {
        assert.equal(await visits.read(visit), undefined)
        assert.equal(await visits.write(visit, { members, due: 500 }, undefined), true)
        assert.equal(await visits.write(visit, { members: [], due: 1 }, undefined), false)
        const first = (await visits.read(visit))!
        assert.deepEqual([first.members, first.due], [members, 500])
        assert.equal(await visits.write(visit, { members: members.slice(1), due: 600 }, first.version), true)
        assert.equal(await visits.write(visit, { members, due: 500 }, first.version), false)
        assert.deepEqual((await visits.read(visit))!.members, members.slice(1))
      }),
    )

    test(
      'are due as objects are, and put off without a new version',
      within(open, async ({ visits, schedule, reopen }) => {
        await visits.write(visit, { members, due: 500 }, undefined)
        assert.deepEqual(
          (await schedule.dueBy(1000, 10)).map(({ ref, due }) => ({ ref, due })),
          [{ ref: visit, due: 500 }],
        )
        await schedule.setDue(visit, 900, { dueSeen: 500 })
        const { visits: again, schedule: then } = await reopen()
        assert.deepEqual(await then.dueBy(800, 10), [])
        const putOff = (await again.read(visit))!
        assert.deepEqual([putOff.members, putOff.due], [members, 900])
        assert.equal(await again.write(visit, { members: [], due: undefined }, putOff.version), true)
        assert.deepEqual(await then.dueBy(1000, 10), [])
      }),
    )
  })
}
