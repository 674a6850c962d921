/** The quick ones of what `npm run fault` plays. */
import { suite, test } from 'node:test'
import { play, whyNot } from './fault.ts'
import { faults } from './faults/all.ts'

suite('the hub tells the truth, and recovers, when', { concurrency: 2 }, () => {
  for (const fault of faults.filter(({ quick }) => quick))
    test(fault.name, { skip: whyNot(fault) ?? false }, async () => {
      await play(fault)
    })
})
