/** What `npm run attack` tries, class by class. */
import { suite, test } from 'node:test'
import { endWithTest } from '../bed/teardown.ts'
import { attackClasses } from './classes/all.ts'
import { startAttackWorld } from './world.ts'

const world = endWithTest(await startAttackWorld())

for (const { name, attempts, oneIn = 1 } of attackClasses)
  suite(`holds: ${name}`, () => {
    for (const { title, run } of attempts.filter((_, index) => index % oneIn === 0))
      test(title, async () => {
        await run(world)
        await world.requireHealthy()
      })
  })
