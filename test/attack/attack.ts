import type { AttackWorld } from './world.ts'

/** One thing that an attacker tries on a running hub. */
export interface Attempt {
  /** What the hub does about it, as a promise: `a forged status.artifact counts as no artifact`. */
  readonly title: string
  /** Takes long, or most of the machine: `npm run attack` tries it, `npm test` does not. */
  readonly isHeavy?: boolean
  /** Tries it, and fails with what got through. */
  run(world: AttackWorld): Promise<void>
}

/** What attempts have in common, and the rule that stops them. */
export interface AttackClass {
  readonly name: string
  /** What holds, in one sentence without its full stop: for the table of docs/security.md. */
  readonly rule: string
  readonly attempts: readonly Attempt[]
  /** `npm test` tries one in so many of them, as each takes seconds of a processor; all of them when absent. */
  readonly oneIn?: number
}

export interface Outcome {
  readonly title: string
  /** Why the hub did not hold; undefined when it did. */
  readonly breach?: string
}

/** Tries the attempts of a class one after the other. */
export async function* outcomesOf({ attempts }: AttackClass, world: AttackWorld): AsyncGenerator<Outcome> {
  for (const { title, run } of attempts) {
    try {
      await run(world)
      await world.requireHealthy()
      yield { title }
    } catch (error) {
      yield { title, breach: (error as Error).message }
    }
  }
}
