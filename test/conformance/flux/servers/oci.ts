import { scenarioOci } from '../../../source/scenario-oci.ts'
import type { Serve } from './server.ts'

/** The OCI artifacts of a scenario in real registries. */
export const serveOci: Serve = async scenario => {
  if (!scenario.oci) return undefined
  const registries = await scenarioOci(scenario as Parameters<typeof scenarioOci>[0])
  return {
    placeholders: registries.placeholders,
    operations: { pushOCI: registries.pushOCI },
    [Symbol.asyncDispose]: () => registries[Symbol.asyncDispose](),
  }
}
