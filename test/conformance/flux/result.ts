import type { CaseResult } from '../suite.ts'
import type { Beds } from './beds.ts'
import { type Difference, differences, differencesThroughRunner } from './differences.ts'
import { drivers } from './drivers.ts'
import { replay } from './replay.ts'
import type { Scenario } from './scenario.ts'

/** A scenario's result; one that is expected to differ fails when it no longer does, or differs in other places. */
export const resultOf = async (scenario: Scenario, beds: Beds, isThroughRunner = false): Promise<CaseResult> => {
  const { id, area, title } = scenario
  const name = `${id}: ${title}`
  const driver = drivers[area]
  const missing = driver ? driver.cannotReplay(scenario) : `no driver for the area ${area}`
  if (missing) return { name, problem: `not replayed: ${missing}` }
  const known = isThroughRunner ? differencesThroughRunner : differences
  try {
    const problems = unexpected(await replay(scenario, beds, isThroughRunner), known[id])
    return { name, ...(problems.length > 0 && { problem: problems.join('\n') }) }
  } catch (error) {
    return { name, problem: `the replay failed: ${(error as Error).stack}` }
  }
}

const unexpected = (problems: readonly string[], difference: string | Difference | undefined): readonly string[] => {
  if (difference === undefined) return problems
  const { why, at, isOptional }: Difference = typeof difference === 'string' ? { why: difference, at: /^/ } : difference
  const others = problems.filter(problem => !at.test(problem))
  if (others.length === problems.length && !isOptional)
    return [`no longer differs (${why}): take it off the list`, ...others]
  return others
}
