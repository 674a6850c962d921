import { startBeds } from '../flux/beds.ts'
import { resultOf } from '../flux/result.ts'
import { type Scenario, scenariosBelow } from '../flux/scenario.ts'
import type { CaseResult, ConformanceSuite } from '../suite.ts'

/** Scenarios at a time: each has a hub of its own, and most of their time they wait. */
const atOnce = 4

/** Recorded of Flux's controllers: every scenario is replayed on real kube-apiservers. Takes minutes. */
export const suite: ConformanceSuite = {
  folder: 'flux',
  slow: true,
  async *cases(directory) {
    await using beds = await startBeds()
    const waiting = scenariosBelow(directory)
    const running = new Map<string, Promise<readonly [id: string, result: CaseResult]>>()
    const start = ({ id, ...scenario }: Scenario): void => {
      running.set(
        id,
        resultOf({ id, ...scenario }, beds).then(result => [id, result] as const),
      )
    }
    while (waiting.length > 0 || running.size > 0) {
      for (const scenario of waiting.splice(0, atOnce - running.size)) start(scenario)
      const [id, result] = await Promise.race(running.values())
      running.delete(id)
      yield () => result
    }
  },
}
