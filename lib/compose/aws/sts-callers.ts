import type { Authenticate } from '../../hub/apiserver/authentication/caller.ts'
import { freshMapping, stsAuthentication } from '../../hub/apiserver/authentication/sts-authentication.ts'
import { stsIdentities } from '../../hub/apiserver/authentication/sts-identities.ts'
import type { AwsIdentity } from '../../hub/apiserver/authentication/sts-identity.ts'
import type { HubAdmins } from '../../hub/apiserver/authentication/sts-mapping.ts'
import type { TrustedIssuers } from '../../hub/apiserver/authentication/token-verifier.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { endpointOf } from '../../platform/cloud/aws/regions.ts'
import type { AmbientPorts } from '../../platform/cloud/cloud-ports.ts'
import { sendRequest } from '../../platform/cloud/send-request.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'

interface StsTokenPorts {
  readonly clock: Clock
  readonly cloud: Pick<AmbientPorts, 'fetch' | 'environment'>
}

export interface TokenScope {
  /** The cluster name that tokens must be issued for. */
  readonly hubName: string
  /** The hub's region: only its STS is called. */
  readonly region: string
}

/** Returns the AWS identity that signed a token, as confirmed by STS in the hub's region. */
export const stsTokens = (
  { cloud, clock }: StsTokenPorts,
  { hubName, region }: TokenScope,
): ((token: string) => Promise<AwsIdentity>) =>
  stsIdentities(
    {
      clock,
      get: (url, headers) =>
        sendRequest(cloud.fetch, { service: 'AWS', what: 'the identity of a caller', url, headers }),
    },
    { hubName, stsOrigin: endpointOf('sts', region, cloud.environment) },
  )

interface StsCallersPorts extends StsTokenPorts {
  readonly hub: Pick<Hub, 'get'>
  readonly log: Log
}

export interface StsCallers {
  /** Authenticates callers: by tokens that STS confirms, under the names in `keelson-system/aws-auth`. */
  readonly authenticate: Authenticate
  /** The AWS accounts whose principals may be users. */
  readonly accounts: () => Promise<TrustedIssuers['accounts']>
}

/** The callers of a hub on AWS: principals of its account, its administrators, and those in its mapping. */
export const stsCallers = (
  ports: StsCallersPorts,
  { admins, account, ...scope }: TokenScope & HubAdmins,
): StsCallers => {
  const mapping = freshMapping(ports)
  const identityBehind = stsTokens(ports, scope)
  return {
    authenticate: stsAuthentication({ ...ports, identityBehind, mapping }, { admins, account }),
    accounts: async () => {
      const { principals, accounts } = await mapping()
      const named = [...admins, ...principals.map(({ principal }) => principal)].map(arn => arn.split(':')[4] ?? '')
      return [...new Set([account, ...accounts, ...named])]
    },
  }
}
