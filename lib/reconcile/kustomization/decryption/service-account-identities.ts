import { assumeRole, assumeRoleWithWebIdentity } from '../../../cloud/aws/assume-role.ts'
import type { AwsIdentity } from '../../../cloud/aws/credentials.ts'
import { endpointOf } from '../../../cloud/aws/regions.ts'
import { federatedIdentity } from '../../../cloud/azure/entra-identity.ts'
import type { AzureIdentity } from '../../../cloud/azure/identity.ts'
import { cached } from '../../../cloud/cached.ts'
import { CloudError, type CloudService } from '../../../cloud/cloud-error.ts'
import type { CloudPorts, Environment } from '../../../cloud/cloud-ports.ts'
import { federatedToken } from '../../../cloud/gcp/federated-token.ts'
import type { GcpIdentity } from '../../../cloud/gcp/identity.ts'
import { vaultLogin } from '../../../cloud/vault/login.ts'
import type { KubernetesObject } from '../../../kinds/object.ts'
import type { SecretlessIdentities, VaultProof } from './secretless-identities.ts'

export interface ServiceAccountPorts {
  readonly cloud: CloudPorts & { readonly environment?: Environment }
  /** Of this process: on AWS it may take roles for ServiceAccounts. */
  readonly own: Pick<SecretlessIdentities, 'aws'>
  readonly region: string
  /**
   * A token of this hub for an account, which clouds can verify; absent where they can't reach its issuer.
   */
  readonly issueToken?: (account: AccountName, audience: string) => Promise<string>
  /** Where to log in to the Vault servers that are trusted, by address. */
  readonly vaultLogins: () => Promise<ReadonlyMap<string, string>>
}

export interface AccountName {
  readonly namespace: string
  readonly name: string
}

/**
 * A ServiceAccount, by the annotations that name what it is in a cloud (KS-258). Its token is exchanged where clouds can
 * verify it. Otherwise, on AWS, this process takes the role itself, with the account as external ID: roles must ask for it
 * (`sts:ExternalId` = `system:serviceaccount:NAMESPACE:NAME`), or any account might name them.
 */
export const identitiesOfAccount = (account: KubernetesObject, ports: ServiceAccountPorts): SecretlessIdentities => {
  const name = { namespace: account.metadata.namespace ?? '', name: account.metadata.name }
  const annotation = annotationsOf(account, name)
  return {
    aws: () => awsIdentity(name, annotation, ports),
    azure: azureIdentity(name, annotation, ports),
    azureManaged: () => async () => {
      throw new CloudError('Azure', `managed identities are not lent to ServiceAccounts: ${describe(name)}`)
    },
    gcp: gcpIdentity(name, annotation, account.metadata.annotations?.['iam.gke.io/gcp-service-account'], ports),
    vault: (address, signal) => vaultToken(name, address, ports, signal),
  }
}

type Annotation = (service: CloudService, key: string) => string

const annotationsOf =
  ({ metadata }: KubernetesObject, account: AccountName): Annotation =>
  (service, key) => {
    const value = metadata.annotations?.[key]
    if (value) return value
    throw new CloudError(service, `${describe(account)} has no annotation ${key}`)
  }

const describe = ({ namespace, name }: AccountName): string => `ServiceAccount ${namespace}/${name}`
const subjectOf = ({ namespace, name }: AccountName): string => `system:serviceaccount:${namespace}:${name}`

const tokenFor = async (
  service: CloudService,
  account: AccountName,
  audience: string,
  { issueToken }: ServiceAccountPorts,
): Promise<string> => {
  if (issueToken) return issueToken(account, audience)
  throw new CloudError(
    service,
    `${describe(account)} has no token that ${service} could verify: the hub needs a public issuer address; use a Secret instead`,
  )
}

const awsIdentity = (account: AccountName, annotation: Annotation, ports: ServiceAccountPorts): AwsIdentity => {
  const { cloud, own, region, issueToken } = ports
  return cached(async () => {
    const roleArn = annotation('AWS', 'eks.amazonaws.com/role-arn')
    const role = {
      endpoint: endpointOf('sts', region, cloud.environment),
      region,
      roleArn,
      sessionName: `${account.name}.${account.namespace}`,
    }
    if (issueToken) {
      return assumeRoleWithWebIdentity(cloud, { ...role, token: await issueToken(account, 'sts.amazonaws.com') })
    }
    return assumeRole(cloud, { ...role, credentials: await own.aws()(), externalId: subjectOf(account) })
  }, cloud.clock.now)
}

const azureIdentity = (account: AccountName, annotation: Annotation, ports: ServiceAccountPorts): AzureIdentity => {
  return async request => {
    const identity = federatedIdentity(ports.cloud, {
      tenantId: annotation('Azure', 'azure.workload.identity/tenant-id'),
      clientId: annotation('Azure', 'azure.workload.identity/client-id'),
      token: () => tokenFor('Azure', account, 'api://AzureADTokenExchange', ports),
    })
    return identity(request)
  }
}

/** Acts as the service account that is named, or with the rights that were given to the federated identity itself. */
const gcpIdentity = (
  account: AccountName,
  annotation: Annotation,
  email: string | undefined,
  ports: ServiceAccountPorts,
): GcpIdentity =>
  cached(async () => {
    const audience = `//iam.googleapis.com/${annotation('GCP', 'gcp.auth.fluxcd.io/workload-identity-provider')}`
    const external = {
      audience,
      subjectTokenType: 'urn:ietf:params:oauth:token-type:jwt',
      tokenUrl: 'https://sts.googleapis.com/v1/token',
      impersonationUrl:
        email &&
        `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${encodeURIComponent(email)}:generateAccessToken`,
    }
    return federatedToken(ports.cloud, external, () => tokenFor('GCP', account, audience, ports))
  }, ports.cloud.clock.now)

/** Only servers that the operator lists are logged in to (KS-260). */
const vaultToken = async (
  account: AccountName,
  address: string,
  ports: ServiceAccountPorts,
  signal?: AbortSignal,
): Promise<VaultProof> => {
  const loginPath = (await ports.vaultLogins()).get(address)
  if (!loginPath) {
    throw new CloudError(
      'Vault',
      `no login path is configured for address ${JSON.stringify(address)} (--sops-vault-configmap)`,
    )
  }
  const jwt = await tokenFor('Vault', account, address, ports)
  const role = `${account.namespace}_${account.name}`
  return { token: await vaultLogin(ports.cloud, { address, loginPath, role, jwt, signal }) }
}
