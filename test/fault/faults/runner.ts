import assert from 'node:assert/strict'
import { seededRandom } from '../../e2e/seeded-random.ts'
import type { Fault } from '../fault.ts'
import { type Point, runnerScene } from '../runner-scene.ts'

const points: readonly Omit<Point, 'at'>[] = (['hub', 'cluster'] as const).flatMap(to =>
  (['request', 'response'] as const).flatMap(when =>
    (['the connection is cut', 'the runner is killed', 'the hub is killed'] as const).map(what => ({ to, when, what })),
  ),
)

/** `KEELSON_SEED` repeats a run. */
const seed = Number(process.env.KEELSON_SEED ?? Date.now() % 1_000_000)

export const runnerFaults: readonly Fault[] = [
  {
    name: 'a runner, its hub or their connection ends at a few requests of a pass',
    quick: true,
    async play(scene) {
      const { play } = await runnerScene(scene)
      const random = seededRandom(seed)
      const hits: string[] = []
      try {
        // A pass has at least two requests to each.
        for (const what of ['the connection is cut', 'the runner is killed', 'the hub is killed']) {
          const point = random.pick(points.filter(point => point.what === what))
          if (await play({ ...point, at: random.below(2) })) hits.push(`${what} (${point.to})`)
        }
      } catch (error) {
        throw new Error(`KEELSON_SEED=${seed}: ${(error as Error).message}`, { cause: error })
      }
      assert.equal(hits.length, 3, `KEELSON_SEED=${seed}`)
      return `applied each revision once it was known, orphaned nothing: ${hits.join(', ')}`
    },
  },
  {
    name: 'a runner, its hub or their connection ends at each request of a pass, before or after it is handled',
    async play(scene) {
      const { play } = await runnerScene(scene)
      const counts: number[] = []
      for (const point of points) {
        let at = 0
        while (await play({ ...point, at })) at++
        counts.push(at)
      }
      assert.ok(
        counts.every(count => count >= 2),
        `requests of passes: ${counts}`,
      )
      const all = counts.reduce((sum, count) => sum + count, 0)
      return `after ${all} faults nothing was lost or orphaned, and no older revision came back`
    },
  },
]
