import { azureClouds } from './azure/clouds.ts'
import { CloudError, type CloudService } from './cloud-error.ts'

declare const checked: unique symbol

/**
 * A server that may be shown who the hub, or a ServiceAccount of it, is to a cloud. Identities give a token for one of these
 * only, and nobody can make one but here: a new kind of object has to say which servers it means, or who vouches for the one it has.
 */
export interface TokenDestination {
  readonly url: URL
  readonly [checked]: true
}

/** How the server is reached: anything here was chosen by an object. */
export interface ObjectConnection {
  readonly tls?: object | undefined
  readonly proxy?: URL | undefined
  readonly insecure?: boolean | undefined
}

/** Servers of a cloud that take its tokens: whole hosts, and domains (`.azurecr.io`) below which the cloud alone gives out names. */
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
 * The one place that says where a cloud's token may go: over TLS to one of the cloud's own servers, whose certificate the roots of
 * this process verify, and not by a way that an object chose. Fails with CloudError.
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

/**
 * An identity of the hub's goes no way that an object chose: a proxy with a certificate authority of its own could read along.
 * Fails with CloudError.
 */
export const requireDirectConnection = (service: CloudService, { tls, proxy, insecure }: ObjectConnection): void => {
  const chosen = [
    ...(proxy ? ['a proxy'] : []),
    ...(tls && Object.keys(tls).length > 0 ? ['certificates'] : []),
    ...(insecure ? ['an insecure connection'] : []),
  ]
  if (chosen.length === 0) return
  throw new CloudError(
    service,
    `an identity of the hub is not sent by a way that the object chooses (${chosen.join(', ')}): leave that out, or give credentials of your own in a Secret`,
  )
}

/** One or more whole labels before the domain. */
const isBelow = (host: string, domain: string): boolean =>
  host.endsWith(domain) &&
  /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(host.slice(0, -domain.length))

/** Why a server needs no check: its address is the cloud's answer; the token is good at itself only; the Secret is the object's own. */
export type TrustedBy = 'the cloud' | 'its own audience' | 'the owner of the credentials'

/** A server that may have a token because of who named it. */
export const destinationNamedBy = (_who: TrustedBy, url: URL): TokenDestination => ({ url }) as TokenDestination
