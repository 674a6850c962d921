import { serverMessage } from '../../../foundations/rules/server-message.ts'
import type { AwsIdentity } from '../../../platform/cloud/aws/credentials.ts'
import { awsJsonCall } from '../../../platform/cloud/aws/json-call.ts'
import { endpointOf } from '../../../platform/cloud/aws/regions.ts'
import { signRequest } from '../../../platform/cloud/aws/sign-request.ts'
import type { AzureIdentity } from '../../../platform/cloud/azure/identity.ts'
import type { CloudPorts, Environment } from '../../../platform/cloud/cloud-ports.ts'
import { parseGcpCredentials } from '../../../platform/cloud/gcp/credentials.ts'
import { credentialsIdentity } from '../../../platform/cloud/gcp/credentials-identity.ts'
import type { GcpIdentity } from '../../../platform/cloud/gcp/identity.ts'
import { sendRequest } from '../../../platform/cloud/send-request.ts'
import { destinationNamedBy, googleApis, tokenDestination } from '../../../platform/cloud/token-destination.ts'
import { NotDelivered } from '../http.ts'
import { notificationTitle } from '../notification.ts'
import { bearer, type Send } from './sender.ts'

/** Identities for the clouds' own services. */
export interface CloudIdentities extends CloudPorts {
  /** The hub's own identities; absent if it has none. */
  readonly aws?: AwsIdentity
  readonly gcp?: GcpIdentity
  readonly azure?: AzureIdentity
  /** For the endpoints of services, as all AWS SDKs read them. */
  readonly environment: Environment
}

/** `arn:aws:sns:<region>:<account>:<topic>`, and the equivalent for EventBridge buses. */
const arnForm = /^arn:(aws[a-z-]*):(sns|events):([a-z0-9-]+):(\d{12}):(.+)$/

export const isAwsAddress = (address: string): boolean => arnForm.test(address)

/** Publishes the event to an SNS topic or an EventBridge bus, whose ARN is the address of a generic Provider. */
export const toAws =
  (cloud: CloudIdentities): Send =>
  async ({ notification, access }) => {
    const [, , service = '', region = ''] = arnForm.exec(access.address) ?? []
    const { keyId, secretKey, sessionToken } = keysIn(access.secret)
    const own = keyId && secretKey ? { accessKeyId: keyId, secretAccessKey: secretKey, sessionToken } : undefined
    const credentials = own ?? (await cloud.aws?.())
    if (!credentials) throw new Error('no AWS credentials: this hub has none, and the Secret has no aws_access_key_id')
    const endpoint = endpointOf(service, region, cloud.environment)
    if (service === 'events') {
      const entry = {
        EventBusName: access.address,
        Source: 'keelson',
        DetailType: `${notification.involvedObject.kind} ${notification.reason}`,
        Detail: JSON.stringify(notification),
        Time: Math.floor(Date.parse(notification.timestamp) / 1000),
      }
      const response = await awsJsonCall(cloud, {
        ...{ endpoint, service, region, credentials, target: 'AWSEvents.PutEvents' },
        body: { Entries: [entry] },
      })
      if (response.FailedEntryCount)
        throw new NotDelivered(`EventBridge rejected the event: ${serverMessage(JSON.stringify(response.Entries))}`)
      return
    }
    const form = {
      Action: 'Publish',
      Version: '2010-03-31',
      TopicArn: access.address,
      Subject: notificationTitle(notification).slice(0, 100),
      Message: JSON.stringify(notification),
    }
    const body = new URLSearchParams(form).toString()
    const unsigned = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
    const request = { method: 'POST' as const, url: `${endpoint}/`, headers: unsigned, body }
    const { host: _, ...headers } = await signRequest(request, credentials, { service, region, now: cloud.clock.now() })
    const response = await sendRequest(cloud.fetch, { ...request, service: 'AWS', what: 'Publish', headers })
    if (response.status >= 300)
      throw new NotDelivered(`SNS responded with status ${response.status}: ${snsReason(response.text)}`)
  }

/** Error format: https://docs.aws.amazon.com/sns/latest/api/CommonErrors.html */
const snsReason = (xml: string): string => {
  const [, code = 'no reason'] = /<Code>([A-Za-z.]{1,100})<\/Code>/.exec(xml) ?? []
  const [, message = ''] = /<Message>([^<]*)<\/Message>/.exec(xml) ?? []
  return serverMessage(message ? `${code}: ${message}` : code)
}

const keysIn = (secret: ReadonlyMap<string, string>) => ({
  keyId: secret.get('aws_access_key_id'),
  secretKey: secret.get('aws_secret_access_key'),
  sessionToken: secret.get('aws_session_token'),
})

/** Publishes the event to a topic (`channel`) of a project (`address`). */
export const toGooglePubSub =
  (cloud: CloudIdentities): Send =>
  async ({ notification, access, http }) => {
    if (!access.address || !access.channel)
      throw new Error('a provider of type googlepubsub requires an address (the project) and a channel (the topic)')
    const identity = access.token ? credentialsIdentity(cloud, parseGcpCredentials(access.token)) : cloud.gcp
    if (!identity) throw new Error('no Google credentials: this hub has none, and the Secret has no token')
    const data = Buffer.from(JSON.stringify(notification)).toString('base64')
    const path = `projects/${encodeURIComponent(access.address)}/topics/${encodeURIComponent(access.channel)}:publish`
    const url = new URL(`https://pubsub.googleapis.com/v1/${path}`)
    const destination = access.token
      ? destinationNamedBy('the owner of the credentials', url)
      : tokenDestination(googleApis, url, access.connection)
    const { token } = await identity(destination)
    await http({
      url: url.href,
      headers: bearer(token),
      json: { messages: [{ data, attributes: access.headers }] },
    })
  }
