import { startBeds } from '../flux/beds.ts'
import { differences } from '../flux/differences.ts'
import { drivers } from '../flux/drivers.ts'
import { replay } from '../flux/replay.ts'
import { type Scenario, scenariosBelow } from '../flux/scenario.ts'
import type { CaseResult, ConformanceSuite } from '../suite.ts'

/** Scenarios at a time: each has a hub of its own, and most of their time they wait. */
const atOnce = 4

/** Recorded of Flux's controllers: every scenario is replayed on real kube-apiservers. Takes minutes. */
export const suite: ConformanceSuite = {
  folder: 'flux',
  slow: true,
  async *run(directory) {
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
      yield result
    }
  },
}

/** A scenario's result; one that is expected to differ fails when it no longer does. */
export const resultOf = async (scenario: Scenario, beds: Parameters<typeof replay>[1]): Promise<CaseResult> => {
  const { id, area, title } = scenario
  const reason = differences[id]
  const name = `${id}: ${title}`
  const driver = drivers[area]
  const missing = driver ? driver.cannotReplay(scenario) : `no driver for the area ${area}`
  if (missing) return { name, problem: `not replayed: ${missing}` }
  try {
    const problems = await replay(scenario, beds)
    if (reason && problems.length === 0) return { name, problem: `no longer differs (${reason}): take it off the list` }
    return { name, ...(problems.length > 0 && !reason && { problem: problems.join('\n') }) }
  } catch (error) {
    return { name, problem: `the replay failed: ${(error as Error).stack}` }
  }
}
