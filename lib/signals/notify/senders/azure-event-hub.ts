import { createHmac } from 'node:crypto'
import { azureCloudAt } from '../../../platform/cloud/azure/clouds.ts'
import { azureEventHubs, tokenDestination } from '../../../platform/cloud/token-destination.ts'
import type { ProviderAccess } from '../provider-access.ts'
import type { CloudIdentities } from './cloud.ts'
import { bearer, type Send } from './sender.ts'

/**
 * Sends the event to an Azure Event Hub (https://learn.microsoft.com/en-us/rest/api/eventhub/send-event). The address
 * is a connection string with a shared key, or the name of the event hub, with its namespace in `channel`; the latter
 * uses the Secret's token or the hub's own identity.
 */
export const toAzureEventHub =
  (cloud: CloudIdentities): Send =>
  async ({ notification, access, http }) => {
    const { url, authorization } = access.address.includes('SharedAccessKey')
      ? withSharedKey(access, cloud.clock.now())
      : await withToken(access, cloud)
    await http({
      url: `${url}/messages?api-version=2014-01`,
      headers: { ...authorization, 'content-type': 'application/json' },
      body: JSON.stringify(notification),
    })
  }

const lifetimeMs = 5 * 60_000

/** https://learn.microsoft.com/en-us/azure/event-hubs/authenticate-shared-access-signature */
const withSharedKey = ({ address, token }: ProviderAccess, now: number) => {
  if (token) throw new Error('jwt token and SAS authentication cannot be set at the same time')
  const parts = new Map(address.split(';').map(part => part.split(/=(.*)/s, 2) as [string, string]))
  const part = (name: string): string => {
    const value = parts.get(name)
    if (!value)
      throw new Error(`the connection string in the address of a provider of type azureeventhub has no ${name}`)
    return value
  }
  const endpoint = URL.parse(part('Endpoint').replace(/^sb:/, 'https:'))
  if (endpoint?.protocol !== 'https:')
    throw new Error('the Endpoint of the connection string must be sb://<namespace>/')
  const url = `${endpoint.origin}/${encodeURIComponent(part('EntityPath'))}`
  const expires = Math.floor((now + lifetimeMs) / 1000)
  const resource = encodeURIComponent(url)
  const signature = createHmac('sha256', part('SharedAccessKey')).update(`${resource}\n${expires}`).digest('base64')
  const fields = { sr: url, sig: signature, se: String(expires), skn: part('SharedAccessKeyName') }
  const parameters = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return { url, authorization: { authorization: `SharedAccessSignature ${parameters.join('&')}` } }
}

const withToken = async (
  { address, channel, token: given, connection }: ProviderAccess,
  { azure, environment }: CloudIdentities,
) => {
  if (!address || !channel)
    throw new Error(
      'a provider of type azureeventhub requires an address (a connection string, or the name of the event hub) and a channel (its namespace)',
    )
  if (!given && !azure) throw new Error('no Azure credentials: this hub has none, and the Secret has no token')
  const { serviceBusSuffix } = azureCloudAt(environment.AZURE_AUTHORITY_HOST)
  const host = channel.includes('.servicebus.') ? channel : `${channel}.${serviceBusSuffix}`
  const [, suffix] = /^[a-z0-9-]+\.(.+)$/i.exec(host) ?? []
  if (suffix !== serviceBusSuffix)
    throw new Error(
      `the channel of a provider of type azureeventhub must be a namespace: <name>, or <name>.${serviceBusSuffix}`,
    )
  const url = new URL(`https://${host}/${encodeURIComponent(address)}`)
  const ownToken = () => {
    const destination = tokenDestination(azureEventHubs, url, connection)
    return azure!({ resource: 'https://eventhubs.azure.net', destination })
  }
  return { url: url.href, authorization: bearer(given || (await ownToken()).token) }
}
