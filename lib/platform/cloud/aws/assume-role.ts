import { CloudError } from '../cloud-error.ts'
import type { CloudPorts } from '../cloud-ports.ts'
import { type HttpRequest, type HttpResponse, responseError, sendRequest } from '../send-request.ts'
import type { AwsCredentials } from './credentials.ts'
import { signRequest } from './sign-request.ts'

interface Role {
  /** For example `https://sts.eu-west-1.amazonaws.com` (see `endpointOf`). */
  readonly endpoint: string
  readonly region: string
  readonly roleArn: string
  readonly sessionName: string
  /** Restricts the session: JSON of at most 2,048 characters (see session-policies.ts). */
  readonly policy?: string
}

export interface RoleToAssume extends Role {
  readonly credentials: AwsCredentials
  readonly externalId?: string
  /** Session tags: `aws:PrincipalTag/...` in policies, and shown by CloudTrail. The role's trust policy must allow `sts:TagSession`. */
  readonly tags?: Readonly<Record<string, string>>
}

/** STS AssumeRole: credentials of a role that the given credentials may assume. Fails with CloudError. */
export const assumeRole = async ({ fetch, clock }: CloudPorts, role: RoleToAssume): Promise<AwsCredentials> => {
  const { region, credentials, externalId, tags = {} } = role
  const request = stsRequest('AssumeRole', role, {
    ...(externalId && { ExternalId: externalId }),
    ...tagParameters(tags),
  })
  const { host: _, ...headers } = await signRequest(request, credentials, {
    service: 'sts',
    region,
    now: clock.now(),
  })
  return credentialsIn(request, await sendRequest(fetch, { ...request, headers }))
}

/** AssumeRole with tags if the role's trust policy allows them, otherwise without. */
export const assumeRoleTagged = async (ports: CloudPorts, role: RoleToAssume): Promise<AwsCredentials> => {
  try {
    return await assumeRole(ports, role)
  } catch (error) {
    if (!(error instanceof CloudError && error.message.includes('sts:TagSession'))) throw error
    return assumeRole(ports, { ...role, tags: {} })
  }
}

const tagParameters = (tags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tags).flatMap(([key, value], index) => [
      [`Tags.member.${index + 1}.Key`, key],
      [`Tags.member.${index + 1}.Value`, value],
    ]),
  )

/** STS AssumeRoleWithWebIdentity: credentials of a role that trusts the OIDC token's issuer. Fails with CloudError. */
export const assumeRoleWithWebIdentity = async (
  { fetch }: Pick<CloudPorts, 'fetch'>,
  role: Role & { readonly token: string },
): Promise<AwsCredentials> => {
  const request = stsRequest('AssumeRoleWithWebIdentity', role, { WebIdentityToken: role.token })
  return credentialsIn(request, await sendRequest(fetch, request))
}

const stsRequest = (action: string, role: Role, parameters: Readonly<Record<string, string>>) => {
  const { endpoint, roleArn, sessionName, policy } = role
  const body = new URLSearchParams({
    Action: action,
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: validSessionName(sessionName),
    ...(policy && { Policy: policy }),
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

/** STS accepts 2 to 64 of these characters. */
const validSessionName = (name: string): string => name.replace(/[^\w+=,.@-]/g, '-').slice(0, 64)

const credentialsIn = (request: HttpRequest, response: HttpResponse): AwsCredentials => {
  const { status, text } = response
  if (status !== 200) {
    throw responseError(request, response, {
      Code: element(text, 'Code') ?? '',
      Message: element(text, 'Message') ?? '',
    })
  }
  const accessKeyId = element(text, 'AccessKeyId')
  const secretAccessKey = element(text, 'SecretAccessKey')
  const sessionToken = element(text, 'SessionToken')
  const expiresAt = Date.parse(element(text, 'Expiration') ?? '')
  if (accessKeyId && secretAccessKey && sessionToken && expiresAt) {
    return { accessKeyId, secretAccessKey, sessionToken, expiresAt }
  }
  throw new CloudError('AWS', `${request.what}: the response has no credentials`)
}

/** The text of the first element with a name. STS responds with flat XML without attributes. */
const element = (xml: string, name: string): string | undefined => {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? []
  return text?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}
