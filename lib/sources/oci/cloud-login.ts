import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import { isObject } from '../../foundations/kinds/json-object.ts'
import type { AwsIdentity } from '../../platform/cloud/aws/credentials.ts'
import { signRequest } from '../../platform/cloud/aws/sign-request.ts'
import { azureClouds } from '../../platform/cloud/azure/clouds.ts'
import type { AzureIdentity } from '../../platform/cloud/azure/identity.ts'
import { cached } from '../../platform/cloud/cached.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { CloudPorts } from '../../platform/cloud/cloud-ports.ts'
import type { GcpIdentity } from '../../platform/cloud/gcp/identity.ts'
import { requestJson, textOr } from '../../platform/cloud/send-request.ts'
import {
  azureRegistries,
  googleRegistries,
  type ObjectConnection,
  requireDirectConnection,
  tokenDestination,
} from '../../platform/cloud/token-destination.ts'
import type { RegistryCredentials } from './docker-config.ts'

export type CloudProvider = 'aws' | 'azure' | 'gcp'

/** The names of the clouds in errors. */
export const cloudServices = { aws: 'AWS', azure: 'Azure', gcp: 'GCP' } as const satisfies Record<CloudProvider, string>

/**
 * Credentials for a cloud registry, from the hub's identity in that cloud, to be sent over `connection`. Fails with
 * CloudError.
 */
export type CloudLogin = (
  provider: CloudProvider,
  registry: string,
  connection: ObjectConnection,
  signal?: AbortSignal,
) => Promise<RegistryCredentials>

export interface CloudIdentities {
  readonly aws: AwsIdentity
  readonly azure: AzureIdentity
  readonly gcp: GcpIdentity
}

interface Login {
  readonly credentials: RegistryCredentials
  readonly expiresAt?: number
}

const MAX_REGISTRIES = 1_000

/** Logins are cached until shortly before they expire. */
export const cloudLogin = (identities: CloudIdentities, ports: CloudPorts): CloudLogin => {
  const now = () => ports.clock.now()
  const logins = new RecentlyUsed<(signal?: AbortSignal) => Promise<Login>>(MAX_REGISTRIES)
  const obtain: Readonly<Record<CloudProvider, (registry: string) => Promise<Login>>> = {
    aws: registry => ecrLogin(registry, identities.aws, ports),
    azure: registry => acrLogin(registry, identities.azure, ports),
    gcp: registry => garLogin(registry, identities.gcp),
  }
  return async (provider, registry, connection, signal) => {
    requireDirectConnection(cloudServices[provider], connection)
    const login = logins.getOrMake(`${provider} ${registry}`, () => cached(() => obtain[provider](registry), now))
    return (await login(signal)).credentials
  }
}

const ecrHost = /^([0-9]{12})\.dkr[.-]ecr(-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com(\.cn)?|on\.aws)$/

/** GetAuthorizationToken of ECR, or of ECR Public, which is in us-east-1 only. */
const ecrLogin = async (registry: string, identity: AwsIdentity, { fetch, clock }: CloudPorts): Promise<Login> => {
  const isPublic = registry === 'public.ecr.aws'
  const [, , fips = '', region = 'us-east-1', china = ''] = ecrHost.exec(registry) ?? []
  if (!isPublic && !ecrHost.test(registry)) {
    throw new CloudError('AWS', `${registry} is not the address of an ECR registry`)
  }
  const service = isPublic ? 'ecr-public' : 'ecr'
  const host = isPublic ? 'api.ecr-public.us-east-1.amazonaws.com' : `api.ecr${fips}.${region}.amazonaws.com${china}`
  const target = isPublic ? 'SpencerFrontendService' : 'AmazonEC2ContainerRegistry_V20150921'
  const request = {
    method: 'POST' as const,
    url: `https://${host}/`,
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${target}.GetAuthorizationToken` },
    body: '{}',
  }
  const headers = await signRequest(request, await identity(), { service, region, now: clock.now() })
  const what = `a login for ${registry}`
  const response = await requestJson(fetch, { service: 'AWS', what, ...request, headers })
  const data = Array.isArray(response.authorizationData) ? response.authorizationData[0] : response.authorizationData
  const token = isObject(data) ? textOr(data.authorizationToken) : undefined
  const [, username, password] = /^([^:]+):(.+)$/s.exec(Buffer.from(token ?? '', 'base64').toString()) ?? []
  if (!username || !password) throw new CloudError('AWS', `${what}: the response contains none`)
  const expiresAt = isObject(data) && typeof data.expiresAt === 'number' ? data.expiresAt * 1000 : undefined
  return { credentials: { username, password }, expiresAt: expiresAt ?? clock.now() + 3_600_000 }
}

/**
 * Exchanges an Entra access token, for the resource manager of the registry's cloud, for a refresh token of the
 * registry.
 */
const acrLogin = async (registry: string, identity: AzureIdentity, { fetch, clock }: CloudPorts): Promise<Login> => {
  const cloud = Object.values(azureClouds).find(({ registrySuffix }) => registry.endsWith(`.${registrySuffix}`))
  const url = URL.parse(`https://${registry}/oauth2/exchange`)
  if (!cloud || !url) throw new CloudError('Azure', `${registry} is not the address of an Azure container registry`)
  const destination = tokenDestination(azureRegistries, url)
  const { token } = await identity({ resource: cloud.resourceManager, destination })
  const what = `a login for ${registry}`
  const response = await requestJson(fetch, {
    service: 'Azure',
    what,
    url: url.href,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'access_token', service: registry, access_token: token }).toString(),
  })
  const identityToken = textOr(response.refresh_token)
  if (!identityToken) throw new CloudError('Azure', `${what}: the response contains none`)
  return { credentials: { identityToken }, expiresAt: expiryOf(identityToken) ?? clock.now() + 3_600_000 }
}

/** The claim `exp` of a JSON Web Token, in milliseconds. */
const expiryOf = (token: string): number | undefined => {
  try {
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      readonly exp?: unknown
    }
    return typeof exp === 'number' ? exp * 1000 : undefined
  } catch {
    return undefined
  }
}

/** Artifact Registry and Container Registry accept Google's access tokens as passwords. */
const garLogin = async (registry: string, identity: GcpIdentity): Promise<Login> => {
  const url = URL.parse(`https://${registry}`)
  if (!url) throw new CloudError('GCP', `${registry} is not the address of a Google registry`)
  const { token, expiresAt } = await identity(tokenDestination(googleRegistries, url))
  return { credentials: { username: 'oauth2accesstoken', password: token }, expiresAt }
}
