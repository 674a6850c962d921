import { CloudError } from '../cloud-error.ts'
import type { CloudPorts } from '../cloud-ports.ts'
import { type HttpRequest, type HttpResponse, refusal, sendRequest } from '../send-request.ts'
import type { AwsCredentials } from './credentials.ts'
import { signRequest } from './sign-request.ts'

interface Role {
  /** `https://sts.eu-west-1.amazonaws.com` (see `endpointOf`). */
  readonly endpoint: string
  readonly region: string
  readonly roleArn: string
  readonly sessionName: string
}

/** STS AssumeRole: credentials of a role that the given credentials may take. Fails with CloudError. */
export const assumeRole = async (
  { fetch, clock }: CloudPorts,
  role: Role & { readonly credentials: AwsCredentials; readonly externalId?: string },
): Promise<AwsCredentials> => {
  const { region, credentials, externalId } = role
  const request = stsRequest('AssumeRole', role, externalId ? { ExternalId: externalId } : {})
  const { host: _, ...headers } = await signRequest(request, credentials, {
    service: 'sts',
    region,
    now: clock.now(),
  })
  return credentialsIn(request, await sendRequest(fetch, { ...request, headers }))
}

/** STS AssumeRoleWithWebIdentity: credentials of a role that trusts the issuer of an OIDC token. Fails with CloudError. */
export const assumeRoleWithWebIdentity = async (
  { fetch }: Pick<CloudPorts, 'fetch'>,
  role: Role & { readonly token: string },
): Promise<AwsCredentials> => {
  const request = stsRequest('AssumeRoleWithWebIdentity', role, { WebIdentityToken: role.token })
  return credentialsIn(request, await sendRequest(fetch, request))
}

const stsRequest = (action: string, role: Role, parameters: Readonly<Record<string, string>>) => {
  const { endpoint, roleArn, sessionName } = role
  const body = new URLSearchParams({
    Action: action,
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: validSessionName(sessionName),
    ...parameters,
  })
  return {
    service: 'AWS' as const,
    what: `${action} of ${roleArn}`,
    method: 'POST' as const,
    url: `${endpoint}/`,
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body: body.toString(),
  }
}

/** STS takes 2 to 64 characters of a small alphabet. */
const validSessionName = (name: string): string => name.replace(/[^\w+=,.@-]/g, '-').slice(0, 64)

const credentialsIn = (request: HttpRequest, answer: HttpResponse): AwsCredentials => {
  const { status, text } = answer
  if (status !== 200) {
    throw refusal(request, answer, { Code: element(text, 'Code') ?? '', Message: element(text, 'Message') ?? '' })
  }
  const accessKeyId = element(text, 'AccessKeyId')
  const secretAccessKey = element(text, 'SecretAccessKey')
  const sessionToken = element(text, 'SessionToken')
  const expiresAt = Date.parse(element(text, 'Expiration') ?? '')
  if (accessKeyId && secretAccessKey && sessionToken && expiresAt) {
    return { accessKeyId, secretAccessKey, sessionToken, expiresAt }
  }
  throw new CloudError('AWS', `${request.what}: the answer holds no credentials`)
}

/** Text of the first element of a name. STS answers with flat XML without attributes. */
const element = (xml: string, name: string): string | undefined => {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? []
  return text?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}
