import { cached } from '../cached.ts'
import { CloudError } from '../cloud-error.ts'
import type { AmbientPorts } from '../cloud-ports.ts'
import { type Fetch, type HttpRequest, type JsonResponse, requestJson, sendRequest, textOr } from '../send-request.ts'
import { assumeRole, assumeRoleWithWebIdentity } from './assume-role.ts'
import type { AwsCredentials, AwsIdentity } from './credentials.ts'
import { endpointOf } from './regions.ts'
import { profileIn, type SharedConfig, sharedConfig } from './shared-config.ts'

const sessionName = 'keelson'
const fallbackRegion = 'us-east-1'

/**
 * The identity of this process, found as in the AWS SDKs: keys in the environment (such as a Lambda function's role), a web identity token (EKS), a
 * profile of the shared files, a container endpoint (ECS, EKS Pod Identity) and, if enabled, the machine's metadata service. `profile` selects one
 * profile of the shared files and nothing else.
 */
export const ambientAwsIdentity = (ports: AmbientPorts, profile?: string): AwsIdentity => {
  const find = async (): Promise<AwsCredentials> => {
    if (profile) return profileCredentials(ports, await readSharedConfig(ports), profile)
    const found =
      environmentKeys(ports) ??
      (await webIdentity(ports)) ??
      (await sharedProfile(ports)) ??
      (await containerCredentials(ports)) ??
      (await machineCredentials(ports))
    if (found) return found
    throw new CloudError('AWS', 'no credentials: neither the environment nor the shared files of this process hold any')
  }
  return cached(find, ports.clock.now)
}

/** The default region of this process. */
export const ambientRegion = ({ environment }: Pick<AmbientPorts, 'environment'>): string =>
  environment.AWS_REGION || environment.AWS_DEFAULT_REGION || fallbackRegion

const environmentKeys = ({ environment }: AmbientPorts): AwsCredentials | undefined => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment
  if (!accessKeyId || !secretAccessKey) return undefined
  return { accessKeyId, secretAccessKey, sessionToken: environment.AWS_SESSION_TOKEN || undefined }
}

const webIdentity = async (ports: AmbientPorts): Promise<AwsCredentials | undefined> => {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: roleArn, AWS_ROLE_SESSION_NAME: name } = ports.environment
  if (!file || !roleArn) return undefined
  const token = (await ports.readFile(file)).trim()
  return assumeRoleWithWebIdentity(ports, { ...sts(ports), roleArn, sessionName: name || sessionName, token })
}

const sts = ({ environment }: AmbientPorts) => {
  const region = ambientRegion({ environment })
  return { region, endpoint: endpointOf('sts', region, environment) }
}

const readSharedConfig = async ({ environment, readFile }: AmbientPorts): Promise<SharedConfig> => {
  const home = environment.HOME ?? environment.USERPROFILE
  const read = (path: string | undefined): Promise<string> =>
    path ? readFile(path).catch(() => '') : Promise.resolve('')
  return sharedConfig(
    await read(environment.AWS_CONFIG_FILE || (home && `${home}/.aws/config`)),
    await read(environment.AWS_SHARED_CREDENTIALS_FILE || (home && `${home}/.aws/credentials`)),
  )
}

const sharedProfile = async (ports: AmbientPorts): Promise<AwsCredentials | undefined> => {
  const config = await readSharedConfig(ports)
  const selected = ports.environment.AWS_PROFILE
  if (!selected && !config.has('default')) return undefined
  return profileCredentials(ports, config, selected || 'default')
}

/** Follows source profiles. Fails with CloudError on a cycle. */
const profileCredentials = async (
  ports: AmbientPorts,
  config: SharedConfig,
  name: string,
  met: readonly string[] = [],
): Promise<AwsCredentials> => {
  const profile = profileIn(config, name)
  if (profile.type === 'keys') return profile.credentials
  const { roleArn, sourceProfile, externalId, sessionName: named } = profile.role
  if (met.includes(name)) throw new CloudError('AWS', `source profiles form a cycle: ${[...met, name].join(' -> ')}`)
  const source = profileIn(config, sourceProfile)
  const credentials =
    source.type === 'keys' ? source.credentials : await profileCredentials(ports, config, sourceProfile, [...met, name])
  return assumeRole(ports, {
    ...sts(ports),
    roleArn,
    sessionName: named ?? sessionName,
    credentials,
    externalId,
  })
}

const ecsHost = 'http://169.254.170.2'
/** Hosts that a full URI may use over plain HTTP: ECS, EKS Pod Identity and loopback. */
const containerHosts = ['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]', '127.0.0.1', '[::1]', 'localhost']

const containerCredentials = async (ports: AmbientPorts): Promise<AwsCredentials | undefined> => {
  const { environment, metadataFetch, readFile } = ports
  const relative = environment.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI
  const url = relative ? `${ecsHost}${relative}` : environment.AWS_CONTAINER_CREDENTIALS_FULL_URI
  if (!url || !metadataFetch) return undefined
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'https:' && !containerHosts.includes(hostname)) {
    throw new CloudError(
      'AWS',
      `AWS_CONTAINER_CREDENTIALS_FULL_URI names ${hostname}, which is not a container endpoint`,
    )
  }
  const file = environment.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE
  const authorization = file ? (await readFile(file)).trim() : environment.AWS_CONTAINER_AUTHORIZATION_TOKEN
  const headers: Record<string, string> = authorization ? { authorization } : {}
  return issued(
    await requestJson(metadataFetch, { service: 'AWS', what: 'credentials of the container', url, headers }),
  )
}

const metadataHost = 'http://169.254.169.254'

/** IMDSv2: gets a session token, the role's name, then its credentials. */
const machineCredentials = async (ports: AmbientPorts): Promise<AwsCredentials | undefined> => {
  const { environment, metadataFetch } = ports
  if (!metadataFetch || environment.AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') return undefined
  const host = environment.AWS_EC2_METADATA_SERVICE_ENDPOINT?.replace(/\/+$/, '') || metadataHost
  const readPath = (path: string, more: Partial<HttpRequest>) =>
    readMetadata(metadataFetch, `${host}/latest/${path}`, more)
  const token = await readPath('api/token', {
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' },
  })
  const headers = { 'x-aws-ec2-metadata-token': token }
  const role = (await readPath('meta-data/iam/security-credentials/', { headers })).trim()
  return issued(JSON.parse(await readPath(`meta-data/iam/security-credentials/${role}`, { headers })))
}

const readMetadata = async (fetch: Fetch, url: string, more: Partial<HttpRequest>): Promise<string> => {
  const what = 'credentials of the machine'
  const { status, text } = await sendRequest(fetch, { service: 'AWS', what, url, timeoutMs: 2_000, ...more })
  if (status === 200) return text
  throw new CloudError('AWS', `${what}: the metadata service returned ${status}`, { status })
}

const issued = ({ AccessKeyId, SecretAccessKey, Token, Expiration }: JsonResponse): AwsCredentials => {
  const [accessKeyId, secretAccessKey, sessionToken] = [AccessKeyId, SecretAccessKey, Token].map(textOr)
  const expiresAt = Date.parse(String(Expiration))
  if (accessKeyId && secretAccessKey && expiresAt) return { accessKeyId, secretAccessKey, sessionToken, expiresAt }
  throw new CloudError('AWS', 'the response of the metadata service has no credentials')
}
