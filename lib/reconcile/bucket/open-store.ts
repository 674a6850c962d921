import type { Bucket } from '../../foundations/kinds/bucket.ts'
import { namespaceOf, type References } from '../../hub/references/references.ts'
import type { AwsCredentials } from '../../platform/cloud/aws/credentials.ts'
import { clientCertificateIdentity, clientSecretIdentity } from '../../platform/cloud/azure/entra-identity.ts'
import type { AzureIdentity } from '../../platform/cloud/azure/identity.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { CloudPorts } from '../../platform/cloud/cloud-ports.ts'
import { parseGcpCredentials } from '../../platform/cloud/gcp/credentials.ts'
import { credentialsIdentity } from '../../platform/cloud/gcp/credentials-identity.ts'
import type { GcpIdentity } from '../../platform/cloud/gcp/identity.ts'
import {
  azureStorage,
  destinationNamedBy,
  googleApis,
  requireDirectConnection,
  type TokenDestination,
  tokenDestination,
} from '../../platform/cloud/token-destination.ts'
import { InvalidSecret, type SecretContent, secretText } from '../../platform/http/connection-secrets.ts'
import type { ConnectionOptions, Connections } from '../../platform/http/connections.ts'
import { type AzureCredential, azureStore } from '../../sources/bucket/azure-store.ts'
import type { BucketStore } from '../../sources/bucket/bucket-store.ts'
import { gcsStore, googleStorage } from '../../sources/bucket/gcs-store.ts'
import { ldapCredentials } from '../../sources/bucket/ldap-credentials.ts'
import { s3Store } from '../../sources/bucket/s3-store.ts'
import type { CloudAccess } from '../../sources/cloud-access.ts'
import type { CloudProvider } from '../../sources/oci/cloud-login.ts'
import { type CloudAccessOf, FeatureGateDisabled } from '../source-artifact/cloud-access-of.ts'
import { loadProxy, loadTls, MissingSecret } from '../source-artifact/load-connection.ts'
import { fetchFailed, fetchStalled } from '../source-artifact/outcomes.ts'

export interface StorePorts {
  readonly references: References
  readonly connections: Connections
  readonly cloud: CloudPorts
  readonly cloudAccess: CloudAccessOf
}

/** Opens the object store of a Bucket, with the credentials in its Secrets. Halts if one is missing or invalid. */
export const openStore = async (bucket: Bucket, signal: AbortSignal, ports: StorePorts): Promise<BucketStore> => {
  const { spec } = bucket
  const provider = spec.provider ?? 'generic'
  const as = provider === 'generic' ? {} : await identitiesOf(bucket, provider, ports)
  const secret = spec.secretRef && (await requireSecret(ports, bucket, spec.secretRef.name, 'secret'))
  const proxy = await loadProxy(ports.references, bucket, spec.proxySecretRef).catch(
    unusable('failed to get proxy URL'),
  )
  const tls = await loadTls(ports.references, bucket, spec.certSecretRef).catch(unusable('failed to get TLS config'))
  const access: StoreAccess = { bucket, secret, connection: { ...proxy, ...tls }, as, signal, ports }
  if (provider === 'gcp') return openGcs(access)
  if (provider === 'azure') return openAzure(access)
  return openS3(access)
}

/** The cloud identities of a Bucket without credentials in a Secret. */
type Identities = Omit<CloudAccess, 'login'>

type NamedSecret = SecretContent & { readonly shortName: string }

/** What the stores of all providers need. */
interface StoreAccess {
  readonly bucket: Bucket
  readonly secret: NamedSecret | undefined
  readonly connection: ConnectionOptions
  readonly as: Identities
  readonly signal: AbortSignal
  readonly ports: StorePorts
}

const identitiesOf = (bucket: Bucket, provider: CloudProvider, { cloudAccess }: StorePorts): Promise<Identities> =>
  cloudAccess(bucket, provider).catch(error => {
    if (error instanceof FeatureGateDisabled) throw fetchStalled('FeatureGateDisabled', error.message)
    return cloudFailure(error)
  })

const denied = (message: string, cause?: unknown) => fetchFailed('AuthenticationFailed', message, cause)

const requireSecret = async ({ references }: StorePorts, bucket: Bucket, name: string, what: string) => {
  const secret = await references.localSecret(bucket, name)
  if (secret) return { ...secret, shortName: name }
  throw denied(`failed to get ${what} '${namespaceOf(bucket)}/${name}': secrets "${name}" not found`)
}

const unusable = (what: string) => (error: unknown) => {
  if (!(error instanceof InvalidSecret || error instanceof MissingSecret)) throw error
  throw denied(`${what}: ${error.message}`, error)
}

const openS3 = async (access: StoreAccess): Promise<BucketStore> => {
  const { bucket, secret, connection, signal, ports } = access
  const { endpoint, bucketName, region = '', insecure = false } = bucket.spec
  if (secret && !(secret.data.has('accesskey') && secret.data.has('secretkey'))) {
    throw denied(`invalid '${secret.shortName}' secret data: required fields 'accesskey' and 'secretkey'`)
  }
  const credentials = await s3Credentials(access)
  const options = { endpoint, bucket: bucketName, region, insecure, signal, ...connection }
  return s3Store({ ...options, ...(credentials && { credentials }) }, ports.connections, ports.cloud.clock)
}

const s3Credentials = async ({
  bucket,
  secret,
  connection,
  as,
  signal,
  ports,
}: StoreAccess): Promise<(() => Promise<AwsCredentials>) | undefined> => {
  const { provider, sts } = bucket.spec
  if (secret) {
    const keys = { accessKeyId: secretText(secret, 'accesskey'), secretAccessKey: secretText(secret, 'secretkey') }
    return keys.accessKeyId && keys.secretAccessKey ? async () => keys : undefined
  }
  if (provider === 'aws') {
    const { aws } = as
    const failing = (error: unknown) => {
      if (!(error instanceof CloudError)) throw error
      throw denied(`AWS authentication failed: ${error.message}`, error)
    }
    if (!aws) throw denied('AWS authentication failed: this hub has no AWS identity')
    try {
      requireDirectConnection('AWS', connection)
    } catch (error) {
      return failing(error)
    }
    return () => aws(signal).catch(failing)
  }
  if (sts?.provider !== 'ldap') return undefined
  const login = sts.secretRef && (await requireSecret(ports, bucket, sts.secretRef.name, 'STS secret'))
  if (login && !(secretText(login, 'username') && secretText(login, 'password'))) {
    throw denied(`invalid '${login.shortName}' secret data for 'ldap' STS provider: required fields username, password`)
  }
  const tls = await loadTls(ports.references, bucket, sts.certSecretRef).catch(unusable('failed to get STS TLS config'))
  const [username, password] = login ? [secretText(login, 'username'), secretText(login, 'password')] : ['', '']
  const { proxy } = connection
  const options = { endpoint: sts.endpoint, username, password, signal, ...tls, ...(proxy && { proxy }) }
  let keys: Promise<AwsCredentials> | undefined
  return () => {
    keys ??= ldapCredentials(options, ports.connections)
    return keys
  }
}

const openGcs = async ({ bucket, secret, connection, as, signal, ports }: StoreAccess): Promise<BucketStore> => {
  if (secret && !secret.data.has('serviceaccount')) {
    throw denied(`invalid '${secret.shortName}' secret data: required fields 'serviceaccount'`)
  }
  const identity = secret ? gcpIdentityIn(secret, ports) : as.gcp
  if (!identity) throw denied('GCP authentication failed: this hub has no GCP identity')
  const url = new URL(googleStorage)
  const destination = secret
    ? destinationNamedBy('the owner of the credentials', url)
    : ownDestination(googleApis, url, connection)
  const token = () => identity(destination, signal).then(({ token: text }) => text, cloudFailure)
  return gcsStore({ bucket: bucket.spec.bucketName, token, signal, ...connection }, ports.connections)
}

const gcpIdentityIn = (secret: NamedSecret, { cloud }: StorePorts): GcpIdentity => {
  try {
    return credentialsIdentity(cloud, parseGcpCredentials(secretText(secret, 'serviceaccount')))
  } catch (error) {
    return cloudFailure(error)
  }
}

const cloudFailure = (error: unknown): never => {
  if (!(error instanceof CloudError)) throw error
  throw denied(error.message, error)
}

const ownDestination = (...args: Parameters<typeof tokenDestination>): TokenDestination => {
  try {
    return tokenDestination(...args)
  } catch (error) {
    return cloudFailure(error)
  }
}

const storageResource = 'https://storage.azure.com'

const openAzure = async ({
  bucket: { spec },
  secret,
  connection,
  as,
  signal,
  ports,
}: StoreAccess): Promise<BucketStore> => {
  const endpoint = URL.parse(spec.endpoint)
  if (!endpoint || !/^https?:$/.test(endpoint.protocol)) {
    throw fetchStalled('URLInvalid', `failed to parse endpoint '${spec.endpoint}': it must be a URL`)
  }
  const credential = secret
    ? azureSecretCredential(secret, endpoint, signal, ports)
    : azureIdentityCredential(endpoint, connection, as, signal)
  const options = { endpoint, container: spec.bucketName, credential, signal, ...connection }
  return azureStore(options, ports.connections, ports.cloud.clock)
}

/** Only Azure's own endpoints get a token; others, such as an emulator, are anonymous. */
const azureIdentityCredential = (
  endpoint: URL,
  connection: ConnectionOptions,
  { azure }: Identities,
  signal: AbortSignal,
): AzureCredential => {
  const isAzures = azureStorage.hosts.some(domain => endpoint.hostname.endsWith(domain))
  if (!azure || !isAzures) return { kind: 'anonymous' }
  return tokenCredential(azure, ownDestination(azureStorage, endpoint, connection), signal)
}

const tokenCredential = (
  identity: AzureIdentity,
  destination: TokenDestination,
  signal: AbortSignal,
): AzureCredential => ({
  kind: 'token',
  token: () => identity({ resource: storageResource, destination, signal }).then(({ token }) => token, cloudFailure),
})

/**
 * A client's password or certificate, a shared access signature, or the account's key: source-controller's options, in
 * its order.
 */
const azureSecretCredential = (
  secret: NamedSecret,
  endpoint: URL,
  signal: AbortSignal,
  { cloud }: StorePorts,
): AzureCredential => {
  const destination = destinationNamedBy('the owner of the credentials', endpoint)
  const text = (key: string) => secretText(secret, key)
  const authorityHost = text('authorityHost').replace(/\/+$/, '')
  const client = { tenantId: text('tenantId'), clientId: text('clientId'), ...(authorityHost && { authorityHost }) }
  if (client.tenantId && client.clientId && text('clientSecret')) {
    return tokenCredential(
      clientSecretIdentity(cloud, { ...client, secret: text('clientSecret') }),
      destination,
      signal,
    )
  }
  if (client.tenantId && client.clientId && text('clientCertificate')) {
    const certificate = {
      certificate: text('clientCertificate'),
      password: text('clientCertificatePassword') || undefined,
      sendChain: ['1', 'true'].includes(text('clientCertificateSendChain')),
    }
    try {
      return tokenCredential(clientCertificateIdentity(cloud, { ...client, ...certificate }), destination, signal)
    } catch (error) {
      return cloudFailure(error)
    }
  }
  if (text('sasKey')) return { kind: 'sas', query: text('sasKey').trim() }
  if (text('accountKey')) return { kind: 'accountKey', key: text('accountKey').trim() }
  throw denied(
    `invalid '${secret.shortName}' secret data: requires a 'tenantId', 'clientId' and 'clientSecret' or 'clientCertificate', an 'accountKey', or a 'sasKey'`,
  )
}
