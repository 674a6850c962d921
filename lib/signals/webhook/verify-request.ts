import { booleanExpression, expression } from '../../engines/cel/expression.ts'
import { Budget } from '../../foundations/budget/budget.ts'
import { textAt } from '../../foundations/kinds/json-path.ts'
import type { Receiver, ReceiverType } from '../../foundations/kinds/receiver.ts'
import { jsonBody, readPayload, type WebhookCall, WebhookRefused } from './call.ts'
import { requireCdEvent } from './cd-event.ts'
import { type Claims, type IdTokens, readBearerToken } from './id-token.ts'
import {
  isSameSecret,
  requireAnySignature,
  requireSecretHeader,
  requireSignature,
  type SignatureForm,
} from './signature.ts'
import { isStandardWebhook, requireStandardSignature } from './standard-webhooks.ts'

/** The result of a verification. */
export interface VerifiedRequest {
  /** Name of the event, for receivers that filter by it. */
  readonly event?: string
  /** The filters' `req`, if it is not the body itself. */
  readonly payload?: unknown
  /** Claims of the caller's identity token (generic-oidc). */
  readonly claims?: Claims
}

/** The keys of a Receiver's Secret that verification uses, for all types. */
export const verificationKeys = ['token', 'authorization', 'username', 'password', 'email', 'audience'] as const

export interface VerificationInput {
  readonly call: WebhookCall
  readonly receiver: Receiver
  /** The decoded `verificationKeys` of the Receiver's Secret; `token` is present if the type requires it. */
  readonly secret: ReadonlyMap<string, string>
  readonly idTokens: IdTokens
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Verifies a request's sender by the rules of the Receiver's type. Fails with a WebhookRefused. */
export const verifyRequest = async (input: VerificationInput): Promise<VerifiedRequest> =>
  verifiers[input.receiver.spec.type](input)

type Verifier = (input: VerificationInput) => VerifiedRequest | Promise<VerifiedRequest>

const tokenOf = ({ secret }: VerificationInput): string => secret.get('token') ?? ''

/** Allows senders with only SHA-1 signatures. */
const sha1Annotation = 'webhook.keelson.dev/allow-sha1'

const mayUseSha1 = ({ receiver }: VerificationInput): boolean =>
  receiver.metadata.annotations?.[sha1Annotation] === 'true'

/** GitHub's header, and those of forges that send GitHub's events. */
const githubForms: readonly SignatureForm[] = [
  { header: 'X-Hub-Signature-256', algorithms: ['sha256'] },
  { header: 'X-Forgejo-Signature', algorithms: ['sha256'], bare: true },
  { header: 'X-Gitea-Signature', algorithms: ['sha256'], bare: true },
  { header: 'X-Gogs-Signature', algorithms: ['sha256'], bare: true },
]

const github: Verifier = input => {
  const { call } = input
  const old: SignatureForm[] = mayUseSha1(input) ? [{ header: 'X-Hub-Signature', algorithms: ['sha256', 'sha1'] }] : []
  requireAnySignature(call, tokenOf(input), [...githubForms, ...old])
  readPayload(call, 'GitHub webhook payload')
  const event = call.header('X-GitHub-Event') ?? call.header('X-Gitea-Event') ?? call.header('X-Gogs-Event')
  return { event: event ?? '' }
}

const gitlab: Verifier = input => {
  const { call, now } = input
  if (isStandardWebhook(call)) requireStandardSignature(call, tokenOf(input), now)
  else requireSecretHeader(call, 'X-Gitlab-Token', tokenOf(input))
  jsonBody(call, 'GitLab webhook payload')
  return { event: call.header('X-Gitlab-Event') ?? '' }
}

const bitbucket: Verifier = input => {
  const { call } = input
  const algorithms = mayUseSha1(input) ? (['sha256', 'sha1'] as const) : (['sha256'] as const)
  requireSignature(call, tokenOf(input), { header: 'X-Hub-Signature', algorithms })
  jsonBody(call, 'Bitbucket webhook payload')
  return { event: call.header('X-Event-Key') ?? '' }
}

const genericHmac: Verifier = input => {
  const { call, now } = input
  if (isStandardWebhook(call)) requireStandardSignature(call, tokenOf(input), now)
  else requireSignature(call, tokenOf(input), { header: 'X-Signature', algorithms: ['sha256', 'sha512', 'sha1'] })
  return {}
}

/**
 * Senders without signatures are authenticated by the secret path. If the Secret also has `authorization`, or
 * `username` and `password`, the Authorization header must match (supported by Azure DevOps, ACR, CNCF distribution).
 */
const byPath = ({ call, secret }: VerificationInput): void => {
  const [username, password] = [secret.get('username'), secret.get('password')]
  const basic = username !== undefined && `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`
  const expected = secret.get('authorization') ?? basic
  if (expected && !isSameSecret(call.header('Authorization') ?? '', expected))
    throw new WebhookRefused("the header Authorization does not match the receiver's Secret")
}

const unsigned =
  (what: string): Verifier =>
  input => {
    byPath(input)
    jsonBody(input.call, what)
    return {}
  }

const nexus: Verifier = input => {
  requireSignature(input.call, tokenOf(input), {
    header: 'X-Nexus-Webhook-Signature',
    algorithms: ['sha1'],
    bare: true,
  })
  jsonBody(input.call, 'Nexus webhook payload')
  return {}
}

const google = 'https://accounts.google.com'

/** Pub/Sub pushes: the event is encoded in the message; the caller is a Google service account. */
const gcr: Verifier = async ({ call, secret, idTokens }) => {
  const [email, audience] = ['email', 'audience'].map(key => {
    const value = secret.get(key)
    if (!value) throw new WebhookRefused(`invalid secret data: required field '${key}' for GCR receiver`)
    return value
  }) as [string, string]
  const { token } = readBearerToken(call)
  const claims = await idTokens.verify(token, { issuer: google, audience, issuers: [google, 'accounts.google.com'] })
  if (claims.email !== email || claims.email_verified !== true)
    throw new WebhookRefused(`the token is not from the verified service account ${email}`)
  const message = textAt(jsonBody(call, 'GCR webhook payload'), 'message', 'data')
  const payload = jsonBody({ ...call, body: Buffer.from(message, 'base64') }, 'GCR webhook body')
  return { payload }
}

/** Limit for all expressions over one token together: about 10 ms. */
const expressionLimits = { steps: 200_000 }

const genericOidc: Verifier = async ({ call, receiver, idTokens }) => {
  const { token, issuer } = readBearerToken(call)
  const provider = receiver.spec.oidcProviders?.find(({ issuerURL }) => issuerURL === issuer)
  if (!provider) throw new WebhookRefused(`no oidcProvider configured for issuer ${JSON.stringify(issuer)}`)
  const claims = await idTokens.verify(token, { issuer, audience: provider.audience || 'notification-controller' })
  const vars: Record<string, unknown> = Object.create(null)
  const budget = new Budget(expressionLimits)
  for (const { name, expression: text } of provider.variables ?? [])
    vars[name] = expression(text).evaluate({ claims, vars }, { budget })
  const failed = provider.validations.filter(
    ({ expression: text }) =>
      !booleanExpression(text, ['claims', 'vars']).evaluateBoolean({ claims, vars }, { budget }),
  )
  if (failed.length > 0)
    throw new WebhookRefused(`token validation failed: ${failed.map(({ message }) => message).join('; ')}`)
  return { claims }
}

const verifiers: Readonly<Record<ReceiverType, Verifier>> = {
  generic: input => {
    byPath(input)
    return {}
  },
  'generic-hmac': genericHmac,
  'generic-oidc': genericOidc,
  github,
  gitlab,
  bitbucket,
  harbor: input => {
    requireSecretHeader(input.call, 'Authorization', tokenOf(input))
    jsonBody(input.call, 'Harbor webhook payload')
    return {}
  },
  dockerhub: unsigned('DockerHub webhook payload'),
  quay: unsigned('Quay webhook payload'),
  acr: unsigned('ACR webhook payload'),
  gcr,
  nexus,
  cdevents: input => {
    const { call } = input
    byPath(input)
    requireCdEvent(call)
    return { event: call.header('Ce-Type') ?? '' }
  },
}
