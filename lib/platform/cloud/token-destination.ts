import { azureClouds } from './azure/clouds.ts'
import { CloudError, type CloudService } from './cloud-error.ts'

declare const checked: unique symbol

/**
 * A server that may receive a cloud token of the hub or of a ServiceAccount. Identities issue tokens for these only,
 * and only this file makes them: a new kind of object must declare which servers it uses, or why its server is trusted.
 */
export interface TokenDestination {
  readonly url: URL
  readonly [checked]: true
}

/** How an object configures the connection to a server. */
export interface ObjectConnection {
  readonly tls?: object | undefined
  readonly proxy?: URL | undefined
  readonly insecure?: boolean | undefined
}

/** Servers of a cloud that accept its tokens: whole hosts, and domains (`.azurecr.io`) in which only the cloud assigns names. */
export interface TokenServers {
  readonly service: CloudService
  readonly called: string
  readonly hosts: readonly string[]
}

const azureDomains = (suffix: 'registrySuffix' | 'storageSuffix' | 'serviceBusSuffix' | 'vaultSuffix') =>
  Object.values(azureClouds).map(cloud => `.${cloud[suffix]}`)

const azureServers = (called: string, hosts: readonly string[]): TokenServers => ({ service: 'Azure', called, hosts })
const googleServers = (called: string, hosts: readonly string[]): TokenServers => ({ service: 'GCP', called, hosts })

export const azureDevOps = azureServers('Azure DevOps', ['dev.azure.com', '.visualstudio.com'])
export const azureStorage = azureServers('Azure Blob Storage', azureDomains('storageSuffix'))
export const azureVaults = azureServers('an Azure key vault', [...azureDomains('vaultSuffix'), '.managedhsm.azure.net'])
export const azureRegistries = azureServers('an Azure container registry', azureDomains('registrySuffix'))
export const azureEventHubs = azureServers('Azure Event Hubs', azureDomains('serviceBusSuffix'))
export const azureResourceManagers = azureServers(
  "Azure's resource manager",
  Object.values(azureClouds).map(({ resourceManager }) => new URL(resourceManager).hostname),
)
export const googleApis = googleServers("Google's APIs", ['.googleapis.com'])
export const googleRegistries = googleServers("a registry of Google's", ['gcr.io', '.gcr.io', '.pkg.dev'])

/**
 * The one check of where a cloud's token may go: over TLS, on the standard port, to one of the cloud's own servers, whose certificate this process'
 * roots verify, and not through a connection that an object chose. Fails with CloudError.
 */
export const tokenDestination = (
  { service, called, hosts }: TokenServers,
  url: URL,
  connection: ObjectConnection = {},
): TokenDestination => {
  const host = url.hostname.toLowerCase()
  const isCloudHost = hosts.some(each => (each.startsWith('.') ? isBelow(host, each) : host === each))
  if (!isCloudHost || (url.port !== '' && url.port !== '443'))
    throw new CloudError(service, `${url.host} is not an address of ${called}`)
  if (url.protocol !== 'https:') throw new CloudError(service, `${url.host} must be reached over https`)
  requireDirectConnection(service, connection)
  return { url } as TokenDestination
}

/** Fails with CloudError if the object chose how to connect: a proxy with its own certificate authority could read the hub's token. */
export const requireDirectConnection = (service: CloudService, { tls, proxy, insecure }: ObjectConnection): void => {
  const chosen = [
    ...(proxy ? ['a proxy'] : []),
    ...(tls && Object.keys(tls).length > 0 ? ['certificates'] : []),
    ...(insecure ? ['an insecure connection'] : []),
  ]
  if (chosen.length === 0) return
  throw new CloudError(
    service,
    `the hub's identity is not sent over a connection that the object chooses (${chosen.join(', ')}): leave that out, or give credentials of your own in a Secret`,
  )
}

/** One or more whole labels before the domain. */
const isBelow = (host: string, domain: string): boolean =>
  host.endsWith(domain) &&
  /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(host.slice(0, -domain.length))

/**
 * Why a server needs no check: the cloud returned its address; the token is valid at this server only; the object's own Secret holds the
 * credentials.
 */
export type TrustedBy = 'the cloud' | 'its own audience' | 'the owner of the credentials'

/** A server that may receive a token because of who named it. */
export const destinationNamedBy = (_who: TrustedBy, url: URL): TokenDestination => ({ url }) as TokenDestination
