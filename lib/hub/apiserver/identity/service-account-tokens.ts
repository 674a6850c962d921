import type { JSONWebKeySet } from 'jose'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { goList } from '../../../foundations/kinds/schema/field-error.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import type { Random } from '../../../platform/ports/random.ts'
import { badRequest, conflict, notFound } from '../../store/api-errors.ts'
import type { Hub } from '../../store/hub.ts'
import type { User } from '../authentication/caller.ts'
import { signingAlgorithm } from './signing-algorithm.ts'
import type { SigningKey } from './signing-key.ts'
import { TokenRefused } from './token-refused.ts'

export interface TokenPorts {
  readonly hub: Pick<Hub, 'get'>
  readonly key: () => Promise<SigningKey>
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'uuid'>
  /** The claim `iss`, and the default audience of tokens. */
  readonly issuer: string
  /** Maximum lifetime of a token, in milliseconds: kube-apiserver's `--service-account-max-token-expiration`. */
  readonly maxExpirationMs: number
}

export interface TokenOrder {
  readonly namespace: string
  readonly name: string
  readonly audiences: readonly string[]
  readonly seconds: number
  /** A Secret whose deletion invalidates the token. */
  readonly boundTo?: BoundObject
}

export interface IssuedToken {
  readonly token: string
  /** The granted lifetime. */
  readonly seconds: number
  /** When it expires, in milliseconds since the epoch. */
  readonly expires: number
  readonly account: KubernetesObject
}

export interface BoundObject {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid?: string
}

export interface Identity {
  readonly user: User
  /** Those of the requested audiences that the token is for. */
  readonly audiences: readonly string[]
}

/** Tokens with which programs act as a ServiceAccount: limited in time, bound to audiences, and valid while the account exists. */
export interface ServiceAccountTokens {
  readonly issuer: string
  /** Issues a token; shortens a lifetime that is too long. Fails with NotFound if the account or bound object does not exist. */
  issue(order: TokenOrder): Promise<IssuedToken>
  /** The identity of a token; undefined if this hub did not issue it. Fails with TokenRefused if it did, but the token is invalid. */
  identify(token: string, audiences?: readonly string[]): Promise<Identity | undefined>
  /** The public keys, as a JWK set. */
  keySet(): Promise<JSONWebKeySet>
}

/** The private claims in Kubernetes' tokens, besides the registered ones. */
interface Claims {
  readonly namespace: string
  readonly serviceaccount: { readonly name: string; readonly uid: string }
  readonly secret?: { readonly name: string; readonly uid: string }
}
const claim = 'kubernetes.io'
/** Kubernetes' default; to let others verify tokens, the issuer is the hub's address. */
export const defaultTokenIssuer = 'https://kubernetes.default.svc'
/**
 * Tokens of this hub: JWTs with Kubernetes' claims, signed with `key`. Accounts are read with each token, so that a
 * deleted one is refused at once.
 */
export const serviceAccountTokens = ({
  hub,
  key,
  clock,
  random,
  issuer,
  maxExpirationMs,
}: TokenPorts): ServiceAccountTokens => {
  const accountOf = (namespace: string, name: string) => hub.get({ group: '', kind: 'ServiceAccount', namespace, name })

  const secretOf = (namespace: string, name: string) => hub.get({ group: '', kind: 'Secret', namespace, name })

  const issue: ServiceAccountTokens['issue'] = async ({ namespace, name, audiences, boundTo, ...order }) => {
    const seconds = Math.min(order.seconds, Math.floor(maxExpirationMs / 1000))
    const account = await accountOf(namespace, name)
    if (!account) throw notFound({ group: '', plural: 'serviceaccounts' }, name)
    const secret = boundTo && (await boundSecret(namespace, boundTo))
    const claims: Claims = {
      namespace,
      serviceaccount: { name, uid: account.metadata.uid! },
      ...(secret && { secret: { name: secret.metadata.name, uid: secret.metadata.uid! } }),
    }
    const issued = Math.floor(clock.now() / 1000)
    const { signAccountToken } = await import('./account-jwt.ts')
    const token = await signAccountToken(
      {
        ...{ issuer, audiences, issued, expires: issued + seconds, id: random.uuid() },
        subject: userName(namespace, name),
        others: { [claim]: claims },
      },
      await key(),
    )
    return { token, seconds, expires: (issued + seconds) * 1000, account }
  }

  const boundSecret = async (namespace: string, { apiVersion, kind, name, uid }: BoundObject) => {
    if (kind !== 'Secret' || apiVersion !== 'v1') {
      const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
      throw badRequest(`cannot bind token to object of type ${groupVersion}, Kind=${kind}`)
    }
    const secret = await secretOf(namespace, name)
    const resource = { group: '', plural: 'secrets' }
    if (!secret) throw notFound(resource, name)
    if (uid && uid !== secret.metadata.uid)
      throw conflict(
        resource,
        name,
        `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      )
    return secret
  }

  const identify: ServiceAccountTokens['identify'] = async (token, audiences = [issuer]) => {
    const payload = await verified(token)
    if (!payload) return undefined
    const meant = [payload.aud ?? []].flat()
    const matching = audiences.filter(audience => meant.includes(audience))
    if (matching.length === 0)
      throw new TokenRefused(
        `token audiences ${goList(meant)} is invalid for the target audiences ${goList(audiences)}`,
      )
    const claims = payload[claim] as Claims
    const account = await accountOf(claims.namespace, claims.serviceaccount.name)
    if (account?.metadata.uid !== claims.serviceaccount.uid || isTerminating(account))
      throw new TokenRefused('service account token has been invalidated')
    if (claims.secret) {
      const secret = await secretOf(claims.namespace, claims.secret.name)
      if (secret?.metadata.uid !== claims.secret.uid || isTerminating(secret))
        throw new TokenRefused('service account token has been invalidated')
    }
    return { user: userOf(account, payload.jti), audiences: matching }
  }

  const verified = async (token: string) => {
    if (token.split('.').length !== 3) return undefined
    const { verifyAccountToken } = await import('./account-jwt.ts')
    const { publicKey } = await key()
    return verifyAccountToken(token, { issuer, publicKey, now: clock.now() })
  }

  return {
    issuer,
    issue,
    identify,
    keySet: async () => {
      const { id, publicKey } = await key()
      const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
      return { keys: [{ use: 'sig', kty: kty!, kid: id, crv, alg: signingAlgorithm, x, y }] }
    },
  }
}

const isTerminating = ({ metadata }: KubernetesObject): boolean => metadata.deletionTimestamp !== undefined

const userName = (namespace: string, name: string) => `system:serviceaccount:${namespace}:${name}`

const userOf = ({ metadata: { namespace = '', name, uid } }: KubernetesObject, id: string | undefined): User => ({
  name: userName(namespace, name),
  ...(uid && { uid }),
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  ...(id && { extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] } }),
})
