import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import { ambientAwsIdentity } from './aws/ambient-identity.ts'
import type { AwsIdentity } from './aws/credentials.ts'
import { ambientAzureIdentity } from './azure/ambient-identity.ts'
import type { AzureIdentity } from './azure/identity.ts'
import { managedIdentity } from './azure/managed-identity.ts'
import type { AmbientPorts } from './cloud-ports.ts'
import { ambientGcpIdentity } from './gcp/ambient-identity.ts'
import type { GcpIdentity } from './gcp/identity.ts'
import { ambientVault, type OwnVault } from './vault/own-vault.ts'

/** The identities of this process in each cloud. One that is not configured fails when it is used. */
export interface AmbientIdentities {
  readonly aws: AwsIdentity
  /** A profile of the shared files. */
  awsProfile(name: string): AwsIdentity
  readonly azure: AzureIdentity
  /** One of the managed identities of the machine. */
  azureManaged(clientId: string): AzureIdentity
  readonly gcp: GcpIdentity
  readonly vault: OwnVault
}

/** Finds each identity in the environment and files of this process, as the clouds' own tools do. */
export const ambientIdentities = (ports: AmbientPorts): AmbientIdentities => ({
  aws: ambientAwsIdentity(ports),
  awsProfile: byName(name => ambientAwsIdentity(ports, name)),
  azure: ambientAzureIdentity(ports),
  azureManaged: byName(clientId => managedIdentity(ports, clientId)),
  gcp: ambientGcpIdentity(ports),
  vault: ambientVault(ports.environment),
})

/** Names come from users, so the number of cached identities is bounded. */
const maxNames = 100

const byName = <T>(make: (name: string) => T): ((name: string) => T) => {
  const made = new RecentlyUsed<T>(maxNames)
  return name => made.getOrMake(name, () => make(name))
}
