/** What `npm run attack` tries, class by class, without what is heavy. */
import { suite, test } from 'node:test'
import { endWithTest } from '../bed/teardown.ts'
import { attackClasses } from './classes/all.ts'
import { startAttackWorld } from './world.ts'

const world = endWithTest(await startAttackWorld())

for (const { name, attempts } of attackClasses)
  suite(`holds: ${name}`, () => {
    for (const { title, run } of attempts.filter(({ isHeavy }) => !isHeavy))
      test(title, async () => {
        await run(world)
        await world.requireHealthy()
      })
  })
