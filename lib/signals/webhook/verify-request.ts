import { booleanExpression, expression } from '../../engines/cel/expression.ts'
import { Budget } from '../../foundations/budget/budget.ts'
import type { Receiver, ReceiverType } from '../../foundations/kinds/receiver.ts'
import { jsonBody, payloadIn, textAt, type WebhookCall, WebhookRefused } from './call.ts'
import { requireCdEvent } from './cd-event.ts'
import { bearerOf, type Claims, type IdTokens } from './id-token.ts'
import {
  isSameSecret,
  requireAnySignature,
  requireSecretHeader,
  requireSignature,
  type SignatureForm,
} from './signature.ts'
import { isStandardWebhook, requireStandardSignature } from './standard-webhooks.ts'

/** What is known of a request once it is proven. */
export interface VerifiedRequest {
  /** The name of the event, for receivers that choose among them. */
  readonly event?: string
  /** What filters see as `req` when it is not the body itself. */
  readonly payload?: unknown
  /** Of the caller's identity token (generic-oidc). */
  readonly claims?: Claims
}

/** What of a Receiver's Secret is looked at, whatever its type. */
export const verificationKeys = ['token', 'authorization', 'username', 'password', 'email', 'audience'] as const

export interface VerificationInput {
  readonly call: WebhookCall
  readonly receiver: Receiver
  /** Of the Receiver's Secret, decoded, under `verificationKeys`; `token` is there unless the type needs none. */
  readonly secret: ReadonlyMap<string, string>
  readonly idTokens: IdTokens
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Checks that a request comes from who may send it, by the rules of the Receiver's type. Fails with a WebhookRefused. */
export const verifyRequest = async (proof: VerificationInput): Promise<VerifiedRequest> =>
  verifiers[proof.receiver.spec.type](proof)

type Verifier = (proof: VerificationInput) => VerifiedRequest | Promise<VerifiedRequest>

const tokenOf = ({ secret }: VerificationInput): string => secret.get('token') ?? ''

/** Whoever sends SHA-1 signatures only must be let in by name. */
const sha1Annotation = 'webhook.keelson.dev/allow-sha1'

const mayUseSha1 = ({ receiver }: VerificationInput): boolean =>
  receiver.metadata.annotations?.[sha1Annotation] === 'true'

/** GitHub's own, and those of forges that send GitHub's events. */
const githubForms: readonly SignatureForm[] = [
  { header: 'X-Hub-Signature-256', algorithms: ['sha256'] },
  { header: 'X-Forgejo-Signature', algorithms: ['sha256'], bare: true },
  { header: 'X-Gitea-Signature', algorithms: ['sha256'], bare: true },
  { header: 'X-Gogs-Signature', algorithms: ['sha256'], bare: true },
]

const github: Verifier = proof => {
  const { call } = proof
  const old: SignatureForm[] = mayUseSha1(proof) ? [{ header: 'X-Hub-Signature', algorithms: ['sha256', 'sha1'] }] : []
  requireAnySignature(call, tokenOf(proof), [...githubForms, ...old])
  payloadIn(call, 'GitHub webhook payload')
  const event = call.header('X-GitHub-Event') ?? call.header('X-Gitea-Event') ?? call.header('X-Gogs-Event')
  return { event: event ?? '' }
}

const gitlab: Verifier = proof => {
  const { call, now } = proof
  if (isStandardWebhook(call)) requireStandardSignature(call, tokenOf(proof), now)
  else requireSecretHeader(call, 'X-Gitlab-Token', tokenOf(proof))
  jsonBody(call, 'GitLab webhook payload')
  return { event: call.header('X-Gitlab-Event') ?? '' }
}

const bitbucket: Verifier = proof => {
  const { call } = proof
  const algorithms = mayUseSha1(proof) ? (['sha256', 'sha1'] as const) : (['sha256'] as const)
  requireSignature(call, tokenOf(proof), { header: 'X-Hub-Signature', algorithms })
  jsonBody(call, 'Bitbucket webhook payload')
  return { event: call.header('X-Event-Key') ?? '' }
}

const genericHmac: Verifier = proof => {
  const { call, now } = proof
  if (isStandardWebhook(call)) requireStandardSignature(call, tokenOf(proof), now)
  else requireSignature(call, tokenOf(proof), { header: 'X-Signature', algorithms: ['sha256', 'sha512', 'sha1'] })
  return {}
}

/**
 * Senders that sign nothing are known by the path, which only they are told. Where the Secret also holds `authorization`,
 * or `username` and `password`, the Authorization header must say so (Azure DevOps, ACR, CNCF distribution can).
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
  proof => {
    byPath(proof)
    jsonBody(proof.call, what)
    return {}
  }

const nexus: Verifier = proof => {
  requireSignature(proof.call, tokenOf(proof), {
    header: 'X-Nexus-Webhook-Signature',
    algorithms: ['sha1'],
    bare: true,
  })
  jsonBody(proof.call, 'Nexus webhook payload')
  return {}
}

const google = 'https://accounts.google.com'

/** Pub/Sub pushes: the event lies in the message, encoded; the caller is a service account of Google's. */
const gcr: Verifier = async ({ call, secret, idTokens }) => {
  const [email, audience] = ['email', 'audience'].map(key => {
    const value = secret.get(key)
    if (!value) throw new WebhookRefused(`invalid secret data: required field '${key}' for GCR receiver`)
    return value
  }) as [string, string]
  const { token } = bearerOf(call)
  const claims = await idTokens.verify(token, { issuer: google, audience, issuers: [google, 'accounts.google.com'] })
  if (claims.email !== email || claims.email_verified !== true)
    throw new WebhookRefused(`the token is not of the service account ${email}, verified`)
  const message = textAt(jsonBody(call, 'GCR webhook payload'), 'message', 'data')
  const payload = jsonBody({ ...call, body: Buffer.from(message, 'base64') }, 'GCR webhook body')
  return { payload }
}

/** What the expressions over one token may take together: some 10 ms. */
const expressionLimits = { steps: 200_000 }

const genericOidc: Verifier = async ({ call, receiver, idTokens }) => {
  const { token, issuer } = bearerOf(call)
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
  generic: proof => {
    byPath(proof)
    return {}
  },
  'generic-hmac': genericHmac,
  'generic-oidc': genericOidc,
  github,
  gitlab,
  bitbucket,
  harbor: proof => {
    requireSecretHeader(proof.call, 'Authorization', tokenOf(proof))
    jsonBody(proof.call, 'Harbor webhook payload')
    return {}
  },
  dockerhub: unsigned('DockerHub webhook payload'),
  quay: unsigned('Quay webhook payload'),
  acr: unsigned('ACR webhook payload'),
  gcr,
  nexus,
  cdevents: proof => {
    const { call } = proof
    byPath(proof)
    requireCdEvent(call)
    return { event: call.header('Ce-Type') ?? '' }
  },
}
