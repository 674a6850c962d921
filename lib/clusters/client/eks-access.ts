import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import { isObject } from '../../foundations/kinds/json-object.ts'
import { assumeRole } from '../../platform/cloud/aws/assume-role.ts'
import type { AwsCredentials, AwsIdentity } from '../../platform/cloud/aws/credentials.ts'
import { eksToken } from '../../platform/cloud/aws/eks-token.ts'
import { endpointOf, isRegion } from '../../platform/cloud/aws/regions.ts'
import { identitySessionPolicy } from '../../platform/cloud/aws/session-policies.ts'
import { signRequest } from '../../platform/cloud/aws/sign-request.ts'
import { cached } from '../../platform/cloud/cached.ts'
import type { CloudPorts, Environment } from '../../platform/cloud/cloud-ports.ts'
import { requestJson, textOr } from '../../platform/cloud/send-request.ts'
import type { KnownCluster, TokenSource } from './cluster-access.ts'
import type { EksLogin } from './exec-login.ts'
import type { ClusterAccess } from './kubeconfig.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

/** This process's access to EKS clusters: as itself, or with an assumed role. */
export interface EksAccess {
  /** Tokens for the cluster of an `exec` entry. Fails with a KubeconfigError if a token could end up in the wrong hands. */
  tokens(login: EksLogin, access: ClusterAccess): TokenSource
  /** The address and authority of a cluster; requested from AWS unless known. */
  find(cluster: EksCluster, known: KnownCluster, signal?: AbortSignal): Promise<FoundCluster>
}

const clusterArn = /^arn:aws[\w-]*:eks:([^:]{1,100}):[0-9]{1,30}:cluster\/(.{1,200})$/

/** Fails with a KubeconfigError. */
export const eksClusterOf = (arn: string, at: string): EksCluster => {
  const [, region, name] = clusterArn.exec(arn) ?? []
  if (region && name) return { arn, region, name }
  const pattern = clusterArn.source.replaceAll('\\/', '/')
  throw new KubeconfigError(`${at}: invalid EKS cluster ARN: '${arn}'. must match ${pattern}`)
}

export interface EksCluster {
  readonly arn: string
  readonly region: string
  readonly name: string
}

export type FoundCluster = Required<KnownCluster>

export interface EksAccessPorts extends CloudPorts {
  readonly identity: AwsIdentity
  readonly environment: Environment
  /** Whether a host certainly belongs to an EKS cluster; by default checks AWS' own domains. */
  readonly isEksHost?: (host: string) => boolean
}

/** `ABC.gr7.eu-west-1.eks.amazonaws.com`: only AWS assigns these names, and only to clusters. */
const eksHost =
  /^[a-z0-9]+(\.[a-z0-9-]+)*\.([a-z0-9-]+)\.eks(?:-fips)?\.(?:amazonaws\.com(?:\.cn)?|amazonaws\.eu|sc2s\.sgov\.gov|c2s\.ic\.gov|api\.aws)$/i

/**
 * Tokens identify this hub, so they go to EKS only: a tenant writes the kubeconfig, and could name a server of the tenant's own
 * to collect the hub's token for another cluster.
 */
export const eksAccess = (ports: EksAccessPorts): EksAccess => {
  const { identity, environment, clock, isEksHost = host => eksHost.test(host) } = ports
  const roles = new RecentlyUsed<AwsIdentity>(maxRoles)

  const identityFor = ({ roleArn, externalId, sessionName = 'keelson' }: EksLogin, region: string): AwsIdentity => {
    if (!roleArn) return identity
    const key = JSON.stringify([roleArn, externalId, sessionName, region])
    const take = async (): Promise<AwsCredentials> => {
      const endpoint = endpointOf('sts', region, environment)
      return assumeRole(ports, {
        ...{ endpoint, region, roleArn, sessionName, policy: identitySessionPolicy, credentials: await identity() },
        ...(externalId && { externalId }),
      })
    }
    return roles.getOrMake(key, () => cached(take, clock.now))
  }

  const tokens = (login: EksLogin, access: ClusterAccess): TokenSource => {
    const { host } = new URL(access.server)
    const hostname = new URL(access.server).hostname
    const open = access.proxyUrl ? 'proxy-url' : access.tlsServerName ? 'tls-server-name' : undefined
    if (open)
      throw new KubeconfigError(`kubeconfig: ${open} can't be combined with an AWS identity, which is sent to EKS only`)
    if (!isEksHost(hostname) || access.insecureSkipTlsVerify || !access.server.startsWith('https:'))
      throw new KubeconfigError(
        `kubeconfig: the server ${host} is not an EKS cluster: the hub's AWS identity is sent to EKS only`,
      )
    const region = login.region ?? eksHost.exec(hostname)?.[2]
    if (!region || !isRegion(region))
      throw new KubeconfigError(`kubeconfig: no AWS region for the EKS cluster ${login.clusterName}: add --region`)
    const { clusterName } = login
    const act = identityFor(login, region)
    const endpoint = endpointOf('sts', region, environment)
    const make = cached(
      async () => eksToken(await act(), { clusterName, region, endpoint, now: clock.now() }),
      clock.now,
    )
    return async signal => (await make(signal)).token
  }

  const find = async (cluster: EksCluster, known: KnownCluster, signal?: AbortSignal): Promise<FoundCluster> => {
    const { address, certificateAuthority } = known
    if (address && certificateAuthority && isEksHost(new URL(withScheme(address)).hostname))
      return { address: withScheme(address), certificateAuthority }
    const described = await describe(cluster, signal)
    if (address && new URL(withScheme(address)).host !== new URL(described.address).host)
      throw new KubeconfigError(`EKS endpoint '${described.address}' does not match specified address: '${address}'`)
    return { ...described, ...(certificateAuthority && { certificateAuthority }) }
  }

  const describe = async ({ arn, region, name }: EksCluster, signal?: AbortSignal): Promise<FoundCluster> => {
    const url = `${endpointOf('eks', region, environment)}/clusters/${encodeURIComponent(name)}`
    const scope = { service: 'eks', region, now: clock.now() }
    const { host: _, ...headers } = await signRequest({ method: 'GET', url }, await identity(signal), scope)
    try {
      const { cluster } = await requestJson(ports.fetch, {
        service: 'AWS',
        what: 'DescribeCluster',
        url,
        headers,
        signal,
      })
      const { endpoint, certificateAuthority } = isObject(cluster) ? cluster : {}
      const address = textOr(endpoint)
      const authority = isObject(certificateAuthority) ? textOr(certificateAuthority.data) : undefined
      if (!address || !authority) throw new Error('it has no endpoint yet')
      return { address, certificateAuthority: Buffer.from(authority, 'base64').toString() }
    } catch (error) {
      signal?.throwIfAborted()
      throw new KubeconfigError(`failed to describe EKS cluster '${arn}': ${(error as Error).message}`, error)
    }
  }

  return { tokens, find }
}

const maxRoles = 1000

const withScheme = (address: string): string => (/^https:\/\//i.test(address) ? address : `https://${address}`)
