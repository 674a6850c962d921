import { InvalidArgumentError } from 'commander'
import type { Settings } from '../compose/settings.ts'

/** Settings that Flux's controllers have behind feature gates. */
export type GatedSettings = Partial<
  Pick<
    Settings,
    | 'externalArtifact'
    | 'strictSubstitution'
    | 'additiveReadyCheck'
    | 'cancelHealthChecks'
    | 'failFast'
    | 'migrateApiVersion'
    | 'objectLevelWorkloadIdentity'
  >
>

const gates: Readonly<Record<string, (isOn: boolean) => GatedSettings>> = {
  ExternalArtifact: isOn => ({ externalArtifact: isOn }),
  StrictPostBuildSubstitutions: isOn => ({ strictSubstitution: isOn }),
  AdditiveCELDependencyCheck: isOn => ({ additiveReadyCheck: isOn }),
  CancelHealthCheckOnNewRevision: isOn => ({ cancelHealthChecks: isOn }),
  DisableFailFastBehavior: isOn => ({ failFast: !isOn }),
  MigrateAPIVersion: isOn => ({ migrateApiVersion: isOn }),
  ObjectLevelWorkloadIdentity: isOn => ({ objectLevelWorkloadIdentity: isOn }),
}

/** Reads `Name=true,Other=false`, as Flux's controllers do; given several times, the later counts. */
export const featureGates = (text: string, before: GatedSettings = {}): GatedSettings => {
  const asked = text.split(',').map(entry => {
    const [name = '', value = ''] = entry.trim().split('=', 2)
    const gate = gates[name]
    if (!gate) throw new InvalidArgumentError(`There is no gate '${name}'; there are ${Object.keys(gates).join(', ')}.`)
    if (value === 'true' || value === 'false') return gate(value === 'true')
    throw new InvalidArgumentError(`'${entry}' must end with =true or =false.`)
  })
  return Object.assign({}, before, ...asked)
}
