import type { ConfigMap } from '../../../foundations/kinds/config-map.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import type { Log } from '../../../platform/ports/log.ts'
import type { Hub } from '../../store/hub.ts'
import { bearerTokenOf } from './authenticators.ts'
import type { Authenticate } from './caller.ts'
import type { AwsIdentity } from './sts-identity.ts'
import { type AwsMapping, type HubAdmins, noMapping, readAwsMapping, userOf } from './sts-mapping.ts'
import { TokenRefused } from './sts-token.ts'

export interface StsAuthenticationPorts {
  readonly log: Log
  /** The AWS identity that signed a token; see sts-identities.ts. */
  readonly identityBehind: (token: string) => Promise<AwsIdentity>
  /** The hub's mapping. */
  readonly mapping: () => Promise<AwsMapping>
}

/** Authenticates callers by tokens from `aws eks get-token`: STS returns who signed the token, and the hub's mapping the user in the hub. */
export const stsAuthentication =
  ({ identityBehind, mapping, log }: StsAuthenticationPorts, admins: HubAdmins): Authenticate =>
  async request => {
    const token = bearerTokenOf(request)
    if (token === undefined) return undefined
    try {
      return userOf(await identityBehind(token), await mapping(), admins)
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error
      log.info('authentication failed', { why: error.message })
      return undefined
    }
  }

/** The mapping of AWS principals to users, like `kube-system/aws-auth` in EKS. */
const mappingRef = { group: '', kind: 'ConfigMap', namespace: 'keelson-system', name: 'aws-auth' }

const mappingMaxAgeMs = 5_000

export interface MappingPorts {
  readonly hub: Pick<Hub, 'get'>
  readonly clock: Clock
  readonly log: Log
}

/** The mapping, at most some seconds old. Invalid parts of a mapping are skipped. */
export const freshMapping = ({ hub, clock, log }: MappingPorts): (() => Promise<AwsMapping>) => {
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
    for (const fault of current.faults) log.error('ignored part of the ConfigMap keelson-system/aws-auth', { fault })
    return current
  }
}
