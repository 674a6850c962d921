import { errors, jwtVerify, SignJWT } from 'jose'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { goList } from '../../../foundations/kinds/schema/field-error.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import type { Random } from '../../../platform/ports/random.ts'
import { badRequest, conflict, notFound } from '../../store/api-errors.ts'
import type { Hub } from '../../store/hub.ts'
import type { User } from '../authentication/caller.ts'
import type { SigningKey } from './signing-key.ts'

export interface TokenPorts {
  readonly hub: Pick<Hub, 'get'>
  readonly key: () => Promise<SigningKey>
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'uuid'>
  /** The claim `iss`, and the audience of tokens that name none. */
  readonly issuer: string
  /** The longest life of a token, in milliseconds: kube-apiserver's `--service-account-max-token-expiration`. */
  readonly maxExpirationMs: number
}

export interface TokenOrder {
  readonly namespace: string
  readonly name: string
  readonly audiences: readonly string[]
  readonly seconds: number
  /** A Secret with whose end the token ends. */
  readonly boundTo?: BoundObject
}

export interface IssuedToken {
  readonly token: string
  /** Its life as it was granted. */
  readonly seconds: number
  /** When it runs out, in milliseconds since the epoch. */
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
  /** Which of the audiences asked for the token is meant for. */
  readonly audiences: readonly string[]
}

/** Tokens by which programs act as a ServiceAccount: made for a while, for an audience, and as long as the account is there. */
export interface ServiceAccountTokens {
  readonly issuer: string
  /** A new token; it lives shorter than asked for where that is too long. Fails with NotFound when there is no such account or bound object. */
  issue(order: TokenOrder): Promise<IssuedToken>
  /** Who a token stands for; undefined when it is none of this hub's. Fails with TokenRefused when it is, but does not count. */
  identify(token: string, audiences?: readonly string[]): Promise<Identity | undefined>
  /** The public keys, as a JWK set. */
  keySet(): Promise<object>
}

/** A token of this hub that does not count: run out, for another audience, or of an account that is gone. */
export class TokenRefused extends Error {}

/** What Kubernetes writes into its tokens, beside the registered claims. */
interface Claims {
  readonly namespace: string
  readonly serviceaccount: { readonly name: string; readonly uid: string }
  readonly secret?: { readonly name: string; readonly uid: string }
}
const claim = 'kubernetes.io'
const algorithm = 'ES256'
/** Seconds, as Kubernetes has it: who checks a token may have another clock than who issued it. */
const clockTolerance = 60

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
    const { id, privateKey } = await key()
    const token = await new SignJWT({ [claim]: claims })
      .setProtectedHeader({ alg: algorithm, kid: id })
      .setIssuer(issuer)
      .setSubject(userName(namespace, name))
      .setAudience([...audiences])
      .setIssuedAt(issued)
      .setNotBefore(issued)
      .setExpirationTime(issued + seconds)
      .setJti(random.uuid())
      .sign(privateKey)
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
    if (account?.metadata.uid !== claims.serviceaccount.uid || isGoing(account))
      throw new TokenRefused('service account token has been invalidated')
    if (claims.secret) {
      const secret = await secretOf(claims.namespace, claims.secret.name)
      if (secret?.metadata.uid !== claims.secret.uid || isGoing(secret))
        throw new TokenRefused('service account token has been invalidated')
    }
    return { user: userOf(account, payload.jti), audiences: matching }
  }

  const verified = async (token: string) => {
    if (token.split('.').length !== 3) return undefined
    const { publicKey } = await key()
    try {
      const options = { issuer, algorithms: [algorithm], currentDate: new Date(clock.now()), clockTolerance }
      return (await jwtVerify(token, publicKey, options)).payload
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw new TokenRefused('service account token has expired')
      // Another issuer's token is for another authenticator to judge.
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }

  return {
    issuer,
    issue,
    identify,
    keySet: async () => {
      const { id, publicKey } = await key()
      const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
      return { keys: [{ use: 'sig', kty, kid: id, crv, alg: algorithm, x, y }] }
    },
  }
}

const isGoing = ({ metadata }: KubernetesObject): boolean => metadata.deletionTimestamp !== undefined

const userName = (namespace: string, name: string) => `system:serviceaccount:${namespace}:${name}`

const userOf = ({ metadata: { namespace = '', name, uid } }: KubernetesObject, id: string | undefined): User => ({
  name: userName(namespace, name),
  ...(uid && { uid }),
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  ...(id && { extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] } }),
})
