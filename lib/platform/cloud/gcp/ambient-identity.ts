import type { AccessToken } from '../access-token.ts'
import { ambientAwsIdentity, ambientRegion } from '../aws/ambient-identity.ts'
import { signRequest } from '../aws/sign-request.ts'
import { cached } from '../cached.ts'
import { CloudError } from '../cloud-error.ts'
import type { AmbientPorts } from '../cloud-ports.ts'
import { parseObject, requestJson, sendRequest, textOr } from '../send-request.ts'
import { parseGcpCredentials } from './credentials.ts'
import { credentialsIdentity } from './credentials-identity.ts'
import type { SubjectTokens } from './federated-token.ts'
import { cloudPlatformScope, type GcpIdentity } from './identity.ts'
import { tokenIn } from './token-response.ts'

/**
 * The identity of this process, found as in Google's SDKs: the file in GOOGLE_APPLICATION_CREDENTIALS, gcloud's default credentials and, if
 * enabled, the machine's metadata service.
 */
export const ambientGcpIdentity = (ports: AmbientPorts): GcpIdentity => {
  let identity: Promise<GcpIdentity> | undefined
  return async (destination, signal) => {
    identity ??= find(ports).catch(error => {
      identity = undefined
      throw error
    })
    return (await identity)(destination, signal)
  }
}

const find = async (ports: AmbientPorts): Promise<GcpIdentity> => {
  const { environment, readFile } = ports
  const named = environment.GOOGLE_APPLICATION_CREDENTIALS
  const home = environment.HOME ?? environment.USERPROFILE
  const text = named
    ? await readFile(named)
    : home && (await readFile(`${home}/.config/gcloud/application_default_credentials.json`).catch(() => undefined))
  if (text) return credentialsIdentity(ports, parseGcpCredentials(text), machineSubjectTokens(ports))
  if (ports.metadataFetch) return machineIdentity(ports)
  throw new CloudError('GCP', 'no credentials: GOOGLE_APPLICATION_CREDENTIALS is not set')
}

const machineIdentity = (ports: AmbientPorts): GcpIdentity => {
  const { environment, metadataFetch, clock } = ports
  const host = environment.GCE_METADATA_HOST || '169.254.169.254'
  const url = new URL(`http://${host}/computeMetadata/v1/instance/service-accounts/default/token`)
  url.searchParams.set('scopes', cloudPlatformScope)
  const token = cached(async (): Promise<AccessToken> => {
    const requestedAt = clock.now()
    const request = { url: url.href, headers: { 'metadata-flavor': 'Google' }, timeoutMs: 5_000 }
    const what = 'token of the machine'
    return tokenIn(await requestJson(metadataFetch!, { service: 'GCP', what, ...request }), requestedAt)
  }, clock.now)
  return (_destination, signal) => token(signal)
}

/** Reads another issuer's tokens from files and addresses of the machine. */
const machineSubjectTokens =
  (ports: AmbientPorts): SubjectTokens =>
  async (source, audience) => {
    if (source.type === 'aws') return awsSubjectToken(ports, source.verificationUrl, audience)
    const text = source.type === 'file' ? await ports.readFile(source.path) : await readUrl(ports, source)
    const token = source.field ? textOr(parseObject(text)?.[source.field]) : text.trim()
    if (token) return token
    throw new CloudError('GCP', 'credential_source has no subject token')
  }

const readUrl = async (
  { fetch, metadataFetch }: AmbientPorts,
  { url, headers }: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
): Promise<string> => {
  const what = 'subject token'
  const { status, text } = await sendRequest(metadataFetch ?? fetch, { service: 'GCP', what, url, headers })
  if (status === 200) return text
  throw new CloudError('GCP', `${what}: ${new URL(url).host} returned ${status}`, { status })
}

/** AWS' subject token is a signed GetCallerIdentity request, which Google sends to AWS. */
const awsSubjectToken = async (ports: AmbientPorts, verificationUrl: string, audience: string): Promise<string> => {
  const region = ambientRegion(ports)
  const url = verificationUrl.replace('{region}', region)
  const credentials = await ambientAwsIdentity(ports)()
  const request = { method: 'POST', url, headers: { 'x-goog-cloud-target-resource': audience } }
  const headers = await signRequest(request, credentials, { service: 'sts', region, now: ports.clock.now() })
  const list = Object.entries(headers).map(([key, value]) => ({ key, value }))
  return encodeURIComponent(JSON.stringify({ url, method: 'POST', headers: list }))
}
