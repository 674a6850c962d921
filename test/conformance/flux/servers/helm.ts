import { scenarioHelm } from '../../../source/scenario-helm.ts'
import type { Serve } from './server.ts'

/** The Helm repositories of a scenario over HTTP. */
export const serveHelm: Serve = async scenario => {
  if (!scenario.helm) return undefined
  const repositories = await scenarioHelm(scenario as Parameters<typeof scenarioHelm>[0])
  return {
    placeholders: repositories.placeholders,
    operations: { publishHelm: repositories.publishHelm },
    [Symbol.asyncDispose]: () => repositories[Symbol.asyncDispose](),
  }
}
