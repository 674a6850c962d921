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
  /** GETs a URL of STS, following no redirects. Fails when there is no answer. */
  readonly ask: (url: string, headers: Readonly<Record<string, string>>) => Promise<StsAnswer>
}

export interface StsAnswer {
  readonly status: number
  readonly text: string
}

export interface StsSettings extends HubAdmins {
  /** What tokens must be made for: `aws eks get-token --cluster-name <hubName>`. */
  readonly hubName: string
  /** The only STS that is asked: `https://sts.eu-west-1.amazonaws.com`. */
  readonly stsOrigin: string
}

/** Where the mapping of AWS principals to users lies: as `kube-system/aws-auth` in EKS. */
export const mappingRef = { group: '', kind: 'ConfigMap', namespace: 'keelson-system', name: 'aws-auth' }

const mappingMaxAgeMs = 5_000
const maxIdentities = 1000

/**
 * Knows callers by tokens as `aws eks get-token` makes them: STS says who signed, the hub's mapping says who that is here.
 * What STS said is kept as long as the token is good for, the mapping for some seconds. Fails with ServiceUnavailable when
 * STS does not answer: whose token could not be checked is not to blame.
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

/** The signed request, with the header that makes it one for this hub: STS finds the signature false for any other name. */
const askSts = async ({ ask }: StsPorts, url: string, hubName: string): Promise<AwsIdentity> => {
  // What the attempt failed with is not passed on: it may name the URL, which proves an identity.
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

/** The mapping as it was some seconds ago at most. A mapping that can't be read whole is used as far as it can. */
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

/** Holds so many values at most; the oldest goes first. */
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
