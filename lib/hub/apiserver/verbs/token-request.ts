import { invalid as invalidField } from '../../../foundations/kinds/schema/field-error.ts'
import { invalid } from '../../store/api-errors.ts'
import { rfc3339 } from '../../store/time.ts'
import type { Call, Handler } from '../call.ts'
import type { BoundObject } from '../identity/service-account-tokens.ts'
import { methodNotAllowed } from '../refusals.ts'
import { optionalBodyObject, unrecognized } from '../wire/body.ts'
import { respond } from '../wire/respond.ts'
import { isDryRun } from './write-options.ts'

const apiVersion = 'authentication.k8s.io/v1'
const minSeconds = 600
const maxSeconds = 2 ** 32
const usual = 3600

/** `serviceaccounts/token`: issues a token for a ServiceAccount, as for `kubectl create token`. */
export const requestToken: Handler = async ({ tokens, clock }, call) => {
  if (!tokens) throw methodNotAllowed()
  const { namespace, name } = call.info
  const spec = specOf((await optionalBodyObject(call.request, unrecognized('TokenRequest'))) ?? {})
  const requested = spec.expirationSeconds ?? usual
  requireDuration(requested)
  const audiences = spec.audiences && spec.audiences.length > 0 ? spec.audiences : [tokens.issuer]
  const boundTo = spec.boundObjectRef ?? undefined
  const { token, seconds, expires, account } = await tokens.issue({
    namespace,
    name,
    audiences,
    seconds: requested,
    ...(boundTo && { boundTo }),
  })
  if (seconds < requested)
    call.warnings.push(`requested expiration of ${requested} seconds shortened to ${seconds} seconds`)
  const text = JSON.stringify({
    kind: 'TokenRequest',
    apiVersion,
    metadata: { name, namespace, uid: account.metadata.uid, creationTimestamp: rfc3339(clock.now()) },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: boundTo ?? null },
    status: { token: isDryRun(call.query) ? '' : token, expirationTimestamp: rfc3339(expires) },
  })
  return respond(call, text, 'json', 201)
}

interface TokenRequestSpec {
  readonly audiences?: readonly string[]
  readonly expirationSeconds?: number
  readonly boundObjectRef?: BoundObject | null
}

const specOf = ({ spec }: Readonly<Record<string, unknown>>): TokenRequestSpec => {
  const { audiences, expirationSeconds, boundObjectRef } = (spec ?? {}) as Readonly<Record<string, unknown>>
  return {
    ...(Array.isArray(audiences) && { audiences: audiences.map(String) }),
    ...(typeof expirationSeconds === 'number' && { expirationSeconds }),
    ...(typeof boundObjectRef === 'object' && boundObjectRef && { boundObjectRef: boundObjectRef as BoundObject }),
  }
}

const requireDuration = (seconds: number): void => {
  const refuse = (why: string) => {
    const problem = invalidField('spec.expirationSeconds', seconds, why)
    throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, undefined, [problem])
  }
  if (seconds < minSeconds) refuse('may not specify a duration less than 10 minutes')
  if (seconds > maxSeconds) refuse('may not specify a duration larger than 2^32 seconds')
}

export const isTokenRequest = ({ group, resource, subresource }: Call['info']): boolean =>
  group === '' && resource === 'serviceaccounts' && subresource === 'token'
