import { ambientAwsIdentity } from './aws/ambient-identity.ts'
import type { AwsIdentity } from './aws/credentials.ts'
import { ambientAzureIdentity } from './azure/ambient-identity.ts'
import type { AzureIdentity } from './azure/identity.ts'
import { managedIdentity } from './azure/managed-identity.ts'
import type { AmbientPorts } from './cloud-ports.ts'
import { ambientGcpIdentity } from './gcp/ambient-identity.ts'
import type { GcpIdentity } from './gcp/identity.ts'
import { ambientVault, type OwnVault } from './vault/own-vault.ts'

/** Who this process itself is to each cloud; what is not configured fails when it is asked for. */
export interface AmbientIdentities {
  readonly aws: AwsIdentity
  /** Of a profile in the shared files. */
  awsProfile(name: string): AwsIdentity
  readonly azure: AzureIdentity
  /** One of the identities that Azure gave the machine. */
  azureManaged(clientId: string): AzureIdentity
  readonly gcp: GcpIdentity
  readonly vault: OwnVault
}

/** Finds each by the environment and the files of this process, as the clouds' own tools do. */
export const ambientIdentities = (ports: AmbientPorts): AmbientIdentities => ({
  aws: ambientAwsIdentity(ports),
  awsProfile: byName(name => ambientAwsIdentity(ports, name)),
  azure: ambientAzureIdentity(ports),
  azureManaged: byName(clientId => managedIdentity(ports, clientId)),
  gcp: ambientGcpIdentity(ports),
  vault: ambientVault(ports.environment),
})

/** Names come from users: what is kept of them is bounded. */
const maxNames = 100

const byName = <T>(make: (name: string) => T): ((name: string) => T) => {
  const made = new Map<string, T>()
  return name => {
    const known = made.get(name)
    if (known) return known
    if (made.size >= maxNames) made.delete(made.keys().next().value!)
    const identity = make(name)
    made.set(name, identity)
    return identity
  }
}
