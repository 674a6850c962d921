import type { CaseResult } from '../suite.ts'
import type { Beds } from './beds.ts'
import { differences } from './differences.ts'
import { drivers } from './drivers.ts'
import { replay } from './replay.ts'
import type { Scenario } from './scenario.ts'

/** A scenario's result; one that is expected to differ fails when it no longer does. */
export const resultOf = async (scenario: Scenario, beds: Beds): Promise<CaseResult> => {
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
