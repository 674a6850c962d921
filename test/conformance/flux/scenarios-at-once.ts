import type { CaseResult, ConformanceSuite } from '../suite.ts'
import { startBeds } from './beds.ts'
import { resultOf } from './result.ts'
import { type Scenario, scenariosBelow } from './scenario.ts'
import { hasWorkForRunner } from './scenario-runner.ts'

/** Scenarios at a time: each has a hub of its own, and most of their time they wait. */
const atOnce = 4

/** Replays all scenarios below a directory, some at a time. */
export const replayAll = (directory: string) => replayThem(scenariosBelow(directory))

/** The stories of Kustomizations and ResourceSets, which a runner reconciles. */
export const throughRunner = (): ConformanceSuite => {
  let leftOut: readonly Scenario[] = []
  return {
    folder: 'flux',
    slow: true,
    cases: directory => {
      const ofUnits = scenariosBelow(directory).filter(({ area }) => area === 'kustomization' || area === 'resourceset')
      const { own = [], others = [] } = Object.groupBy(ofUnits, scenario =>
        hasWorkForRunner(scenario) ? 'own' : 'others',
      )
      leftOut = others
      return replayThem(own, true)
    },
    summary: () =>
      `left out, as they have no units or these name a cluster themselves: ${leftOut.map(({ id }) => id).join(', ')}`,
  }
}

async function* replayThem(waiting: Scenario[], isThroughRunner = false): AsyncGenerator<() => CaseResult> {
  await using beds = await startBeds()
  const running = new Map<string, Promise<readonly [id: string, result: CaseResult]>>()
  const start = (scenario: Scenario): void => {
    running.set(
      scenario.id,
      resultOf(scenario, beds, isThroughRunner).then(result => [scenario.id, result] as const),
    )
  }
  while (waiting.length > 0 || running.size > 0) {
    for (const scenario of waiting.splice(0, atOnce - running.size)) start(scenario)
    const [id, result] = await Promise.race(running.values())
    running.delete(id)
    yield () => result
  }
}
