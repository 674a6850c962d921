import { createHash } from 'node:crypto'
import type { ConfigMap } from '../../../foundations/kinds/config-map.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import type { Log } from '../../../platform/ports/log.ts'
import type { Hub } from '../../store/hub.ts'
import { ApiError } from '../../store/hub.ts'
import type { Authenticate } from './caller.ts'
import { type AwsIdentity, parseCallerIdentity } from './sts-identity.ts'
import { type AwsMapping, type HubAdmins, noMapping, readAwsMapping, userOf } from './sts-mapping.ts'
import { clusterHeader, readStsToken, TokenRefused } from './sts-token.ts'

export interface StsPorts {
  readonly hub: Pick<Hub, 'get'>
  readonly clock: Clock
  readonly log: Log
  /** GETs a URL of STS without following redirects. Fails if there is no response. */
  readonly ask: (url: string, headers: Readonly<Record<string, string>>) => Promise<StsAnswer>
}

export interface StsAnswer {
  readonly status: number
  readonly text: string
}

export interface StsSettings extends HubAdmins {
  /** The name that tokens must be issued for: `aws eks get-token --cluster-name <hubName>`. */
  readonly hubName: string
  /** The only STS endpoint that is called: `https://sts.eu-west-1.amazonaws.com`. */
  readonly stsOrigin: string
}

/** The mapping of AWS principals to users, like `kube-system/aws-auth` in EKS. */
export const mappingRef = { group: '', kind: 'ConfigMap', namespace: 'keelson-system', name: 'aws-auth' }

const mappingMaxAgeMs = 5_000
const maxIdentities = 1000

/**
 * Authenticates callers by tokens from `aws eks get-token`: STS returns who signed the token, and the hub's mapping who that is in the hub.
 * Caches STS' response as long as the token is valid, and the mapping for some seconds. Fails with ServiceUnavailable if STS does not
 * respond: that is not the caller's fault.
 */
export const stsAuthentication = (ports: StsPorts, settings: StsSettings): Authenticate => {
  const { clock, log } = ports
  const identities = expiringMap<Promise<AwsIdentity>>(clock, maxIdentities)
  const mapping = freshMapping(ports)

  const identityBehind = (token: string): Promise<AwsIdentity> => {
    const digest = createHash('sha256').update(token).digest('base64')
    const known = identities.get(digest)
    if (known) return known
    const { url, expiresAt } = readStsToken(token, settings.stsOrigin, clock.now())
    const asked = askSts(ports, url, settings.hubName)
    identities.set(digest, asked, expiresAt)
    asked.catch(() => identities.delete(digest))
    return asked
  }

  return async request => {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    if (token === undefined) return undefined
    try {
      return userOf(await identityBehind(token), await mapping(), settings)
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error
      log.info('a caller is not known', { why: error.message })
      return undefined
    }
  }
}

/** Sends the signed request, with the header that binds it to this hub: for any other name, STS rejects the signature. */
const askSts = async ({ ask }: StsPorts, url: string, hubName: string): Promise<AwsIdentity> => {
  // The cause is dropped: it may contain the URL, which is a credential.
  const answer = await ask(url, { [clusterHeader]: hubName }).catch(() => undefined)
  if (!answer) throw unavailable('STS, which knows who you are, does not answer')
  const { status, text } = answer
  if (status === 429 || status >= 500) throw unavailable(`STS, which knows who you are, answers ${status}`)
  const identity = status === 200 ? parseCallerIdentity(text) : undefined
  if (identity) return identity
  const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1]
  throw new TokenRefused(`STS answers ${status}${code ? ` ${code}` : ''}`)
}

const unavailable = (message: string): ApiError => new ApiError(503, 'ServiceUnavailable', `${message}: try again`)

/** The mapping, at most some seconds old. Invalid parts of a mapping are skipped. */
const freshMapping = ({ hub, clock, log }: StsPorts): (() => Promise<AwsMapping>) => {
  let current = noMapping
  let version: string | undefined
  let readAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (clock.now() - readAt < mappingMaxAgeMs) return current
    const found = await hub.get<ConfigMap>(mappingRef)
    readAt = clock.now()
    if (found?.metadata.resourceVersion === version) return current
    version = found?.metadata.resourceVersion
    current = found ? readAwsMapping(found.data ?? {}) : noMapping
    for (const fault of current.faults)
      log.error('part of the ConfigMap keelson-system/aws-auth is left out', { fault })
    return current
  }
}

interface ExpiringMap<T> {
  get(key: string): T | undefined
  set(key: string, value: T, expiresAt: number): void
  delete(key: string): void
}

/** A map of at most `most` values; drops the oldest first. */
const expiringMap = <T>(clock: Clock, most: number): ExpiringMap<T> => {
  const kept = new Map<string, { readonly value: T; readonly expiresAt: number }>()
  return {
    get: key => {
      const found = kept.get(key)
      if (found && found.expiresAt > clock.now()) return found.value
      kept.delete(key)
      return undefined
    },
    set: (key, value, expiresAt) => {
      kept.set(key, { value, expiresAt })
      if (kept.size > most) kept.delete(kept.keys().next().value!)
    },
    delete: key => kept.delete(key),
  }
}
