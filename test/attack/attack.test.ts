/** What `npm run attack` tries, class by class, without what is heavy. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { endWithTest } from '../bed/teardown.ts'
import { attackClasses } from './classes/all.ts'
import { innerWords } from './inner-words.ts'
import { startAttackWorld } from './world.ts'

const world = endWithTest(await startAttackWorld())

for (const { name, attempts, oneIn = 1 } of attackClasses)
  suite(`holds: ${name}`, () => {
    for (const { title, run } of attempts.filter(({ isHeavy }, index) => !isHeavy && index % oneIn === 0))
      test(title, async () => {
        await run(world)
        await world.requireHealthy()
      })
  })

test('no condition and no Event shows the insides of the hub, whatever was tried', async () => {
  assert.deepEqual(await innerWords(world.admin), [])
})
