import type { CaseResult } from '../suite.ts'
import { startBeds } from './beds.ts'
import { resultOf } from './result.ts'
import { type Scenario, scenariosBelow } from './scenario.ts'

/** Scenarios at a time: each has a hub of its own, and most of their time they wait. */
const atOnce = 4

/** Replays all scenarios below a directory, some at a time. */
export async function* replayAll(directory: string): AsyncGenerator<() => CaseResult> {
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
}
