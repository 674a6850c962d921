import { isObject } from '../../foundations/kinds/json-object.ts'
import { assumeRole } from '../../platform/cloud/aws/assume-role.ts'
import type { AwsCredentials, AwsIdentity } from '../../platform/cloud/aws/credentials.ts'
import { endpointOf } from '../../platform/cloud/aws/regions.ts'
import { discoverySessionPolicy } from '../../platform/cloud/aws/session-policies.ts'
import { signRequest } from '../../platform/cloud/aws/sign-request.ts'
import { CloudError } from '../../platform/cloud/cloud-error.ts'
import type { CloudPorts, Environment } from '../../platform/cloud/cloud-ports.ts'
import { type JsonResponse, requestJson, textOr } from '../../platform/cloud/send-request.ts'
import type { Clock } from '../../platform/ports/clock.ts'

export interface EksDirectoryPorts extends Omit<CloudPorts, 'clock'> {
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  /** The identity of this process: it lists its own account, and assumes roles of others. */
  readonly identity: AwsIdentity
  readonly environment: Environment
}

/** A role to list clusters with, and where. */
export interface EksScope {
  readonly region: string
  readonly roleArn?: string
  readonly externalId?: string
}

export interface ListedEksCluster {
  readonly arn: string
  readonly name: string
  readonly region: string
  readonly account: string
  /** Absent while the cluster is being created. */
  readonly address?: string
  /** PEM. */
  readonly certificateAuthority?: string
  readonly tags: Readonly<Record<string, string>>
}

/** Lists the EKS clusters of an account and region. Fails with CloudError unless all of them were read. */
export type EksDirectory = (scope: EksScope) => Promise<readonly ListedEksCluster[]>

const pageSize = 100
const describedAtOnce = 8
const attempts = 5
const firstPauseMs = 250

/**
 * Lists with the hub's identity, or in the role of the scope with a session that may only list and describe clusters.
 * Throttled requests are repeated, with growing pauses.
 */
export const eksDirectory = (ports: EksDirectoryPorts): EksDirectory => {
  const { fetch, clock, identity, environment } = ports

  const credentialsFor = async ({ region, roleArn, externalId }: EksScope): Promise<AwsCredentials> => {
    const credentials = await identity()
    if (!roleArn) return credentials
    return assumeRole(ports, {
      ...{ endpoint: endpointOf('sts', region, environment), region, roleArn, sessionName: 'keelson-discovery' },
      ...{ policy: discoverySessionPolicy, credentials, ...(externalId && { externalId }) },
    })
  }

  return async scope => {
    const { region } = scope
    const credentials = await credentialsFor(scope)
    const endpoint = endpointOf('eks', region, environment)

    const send = async (what: string, path: string): Promise<JsonResponse> => {
      const url = endpoint + path
      for (let attempt = 1; ; attempt++) {
        const signed = await signRequest({ method: 'GET', url }, credentials, {
          service: 'eks',
          region,
          now: clock.now(),
        })
        const { host: _, ...headers } = signed
        try {
          return await requestJson(fetch, { service: 'AWS', what, url, headers })
        } catch (error) {
          if (attempt === attempts || !isTransient(error)) throw error
          await clock.sleep(firstPauseMs * 2 ** attempt)
        }
      }
    }

    const names: string[] = []
    for (let next: string | undefined = ''; next !== undefined; ) {
      const query = new URLSearchParams({ maxResults: String(pageSize), ...(next && { nextToken: next }) })
      const { clusters, nextToken } = await send(`ListClusters in ${region}`, `/clusters?${query}`)
      if (!Array.isArray(clusters))
        throw new CloudError('AWS', `ListClusters in ${region}: the response has no clusters`)
      names.push(...clusters.filter(name => typeof name === 'string'))
      next = textOr(nextToken)
    }

    const found: ListedEksCluster[] = []
    for (let from = 0; from < names.length; from += describedAtOnce) {
      const described = names.slice(from, from + describedAtOnce).map(async name => {
        try {
          const { cluster } = await send(`DescribeCluster ${name}`, `/clusters/${encodeURIComponent(name)}`)
          return [listedCluster(cluster, region)]
        } catch (error) {
          if (error instanceof CloudError && error.status === 404) return [] // deleted in the meantime
          throw error
        }
      })
      found.push(...(await Promise.all(described)).flat())
    }
    return found
  }
}

/** Throttling, and failures of the service. */
const isTransient = (error: unknown): boolean =>
  error instanceof CloudError && (error.status === 429 || (error.status !== undefined && error.status >= 500))

const listedCluster = (cluster: unknown, region: string): ListedEksCluster => {
  const { arn, name, endpoint, certificateAuthority, tags } = isObject(cluster) ? cluster : {}
  const [, account] = /^arn:aws[\w-]*:eks:[^:]+:([0-9]+):cluster\//.exec(textOr(arn) ?? '') ?? []
  if (typeof arn !== 'string' || typeof name !== 'string' || !account)
    throw new CloudError('AWS', `DescribeCluster in ${region}: the response has no cluster`)
  const [address, data] = [
    textOr(endpoint),
    isObject(certificateAuthority) ? textOr(certificateAuthority.data) : undefined,
  ]
  return {
    ...{ arn, name, region, account },
    ...(address && data && { address, certificateAuthority: Buffer.from(data, 'base64').toString() }),
    tags: Object.fromEntries(
      Object.entries(isObject(tags) ? tags : {}).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    ),
  }
}
