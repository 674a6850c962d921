import type { Scenario } from '../scenario.ts'
import type { Placeholders } from '../texts.ts'

/** What serves a part of a scenario: repositories, registries. */
export interface ScenarioServer extends AsyncDisposable {
  /** Addresses, and what is served there (`REV1`), by the names of the recordings. */
  readonly placeholders: Placeholders
  /** What steps can do with it: `push`, `tag`, `pushOCI`, `publishHelm`. */
  readonly operations: Readonly<Record<string, (argument: never) => Promise<void>>>
}

/** Starts the servers of a scenario; undefined when it needs none of these. */
export type Serve = (scenario: Scenario) => Promise<ScenarioServer | undefined>
