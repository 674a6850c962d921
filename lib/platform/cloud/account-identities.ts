import { assumeRoleTagged, assumeRoleWithWebIdentity } from './aws/assume-role.ts'
import type { AwsIdentity } from './aws/credentials.ts'
import { endpointOf } from './aws/regions.ts'
import { accountSessionPolicy } from './aws/session-policies.ts'
import { federatedIdentity } from './azure/entra-identity.ts'
import type { AzureIdentity } from './azure/identity.ts'
import { cached } from './cached.ts'
import { CloudError, type CloudService } from './cloud-error.ts'
import type { CloudPorts, Environment } from './cloud-ports.ts'
import { federatedToken } from './gcp/federated-token.ts'
import type { GcpIdentity } from './gcp/identity.ts'

export interface AccountIdentityPorts {
  readonly cloud: CloudPorts & { readonly environment?: Environment }
  /** The identity of this process: on AWS it may assume roles for ServiceAccounts. */
  readonly ownAws: AwsIdentity
  readonly region: string
  /** Issues a token of this hub for an account, which clouds can verify; absent if they can't reach its issuer. */
  readonly issueToken?: (account: AccountName, audience: string) => Promise<string>
}

export interface AccountName {
  readonly namespace: string
  readonly name: string
}

/** A ServiceAccount with its annotations. */
export interface Account extends AccountName {
  readonly annotations: Readonly<Record<string, string>>
}

export interface AccountIdentities {
  readonly aws: AwsIdentity
  readonly azure: AzureIdentity
  readonly gcp: GcpIdentity
}

/**
 * The identities of a ServiceAccount in the clouds, from its annotations (KS-258). If clouds can verify its token, they exchange it. Otherwise, on
 * AWS, this process assumes the role, with the account as external ID: trust policies must require it (`sts:ExternalId` =
 * `system:serviceaccount:NAMESPACE:NAME`), or any account could use the role. In both cases a session policy restricts the session to what a hub
 * does; the session that this process creates is tagged with the account.
 */
export const accountIdentities = (account: Account, ports: AccountIdentityPorts): AccountIdentities => ({
  aws: awsIdentity(account, ports),
  azure: azureIdentity(account, ports),
  gcp: gcpIdentity(account, ports),
})

const annotation = (account: Account, service: CloudService, key: string): string => {
  const value = account.annotations[key]
  if (value) return value
  throw new CloudError(service, `${describeAccount(account)} has no annotation ${key}`)
}

/** `ServiceAccount apps/deployer`, as in messages. */
export const describeAccount = ({ namespace, name }: AccountName): string => `ServiceAccount ${namespace}/${name}`
const subjectOf = ({ namespace, name }: AccountName): string => `system:serviceaccount:${namespace}:${name}`

/** A token of an account for a service. Fails with CloudError if the hub can't issue one that the service could verify. */
export const tokenFor = async (
  service: CloudService,
  account: AccountName,
  audience: string,
  { issueToken }: Pick<AccountIdentityPorts, 'issueToken'>,
): Promise<string> => {
  if (issueToken) return issueToken({ namespace: account.namespace, name: account.name }, audience)
  throw new CloudError(
    service,
    `${describeAccount(account)} has no token that ${service} can verify: the hub needs a public issuer address; use a Secret instead`,
  )
}

const awsIdentity = (account: Account, { cloud, ownAws, region, issueToken }: AccountIdentityPorts): AwsIdentity =>
  cached(async () => {
    const roleArn = annotation(account, 'AWS', 'eks.amazonaws.com/role-arn')
    const role = {
      endpoint: endpointOf('sts', region, cloud.environment),
      region,
      roleArn,
      sessionName: `${account.name}.${account.namespace}`,
      policy: accountSessionPolicy,
    }
    if (issueToken) {
      const token = await tokenFor('AWS', account, 'sts.amazonaws.com', { issueToken })
      return assumeRoleWithWebIdentity(cloud, { ...role, token })
    }
    return assumeRoleTagged(cloud, {
      ...role,
      credentials: await ownAws(),
      externalId: subjectOf(account),
      tags: { 'keelson:namespace': account.namespace, 'keelson:service-account': account.name },
    })
  }, cloud.clock.now)

const azureIdentity = (account: Account, ports: AccountIdentityPorts): AzureIdentity => {
  let identity: AzureIdentity | undefined
  return async request => {
    identity ??= federatedIdentity(ports.cloud, {
      tenantId: annotation(account, 'Azure', 'azure.workload.identity/tenant-id'),
      clientId: annotation(account, 'Azure', 'azure.workload.identity/client-id'),
      token: () => tokenFor('Azure', account, 'api://AzureADTokenExchange', ports),
    })
    return identity(request)
  }
}

/** Acts as the annotated service account or, without one, with the permissions of the federated identity itself. */
const gcpIdentity = (account: Account, ports: AccountIdentityPorts): GcpIdentity => {
  const token = cached(async () => {
    const provider = annotation(account, 'GCP', 'gcp.auth.fluxcd.io/workload-identity-provider')
    const email = account.annotations['iam.gke.io/gcp-service-account']
    const external = {
      audience: `//iam.googleapis.com/${provider}`,
      subjectTokenType: 'urn:ietf:params:oauth:token-type:jwt',
      tokenUrl: 'https://sts.googleapis.com/v1/token',
      impersonationUrl:
        email &&
        `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${encodeURIComponent(email)}:generateAccessToken`,
    }
    return federatedToken(ports.cloud, external, () => tokenFor('GCP', account, external.audience, ports))
  }, ports.cloud.clock.now)
  return (_destination, signal) => token(signal)
}
