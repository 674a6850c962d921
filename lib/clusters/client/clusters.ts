import { createHash } from 'node:crypto'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { AddressCheck } from '../../foundations/rules/address-policy.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { ClusterClient } from './client.ts'
import type { TokenSource } from './cluster-access.ts'
import { clusterClient } from './cluster-client.ts'
import type { ClusterProvider } from './cluster-provider.ts'
import { type Connection, connection } from './connection.ts'
import { type EksAccess, eksClusterOf } from './eks-access.ts'
import { httpsTransport } from './https-transport.ts'
import { type ClusterAccess, type Impersonation, type KubeconfigOptions, parseKubeconfig } from './kubeconfig.ts'
import { type ClusterProviderName, type NamedCluster, namedClusterOf } from './kubeconfig-config-map.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

/** The remote clusters in use: one set of connections and one discovery per kubeconfig, however many objects use it. */
export interface Clusters {
  /** Fails with a KubeconfigError; sends nothing before the client's first call. */
  fromKubeconfig(text: string, impersonate?: Impersonation): ClusterClient
  /** The cluster of a ConfigMap, with its address from its cloud, looked up once. Fails with a KubeconfigError. */
  fromConfigMap(configMap: KubernetesObject, impersonate?: Impersonation, signal?: AbortSignal): Promise<ClusterClient>
  close(): Promise<void>
}

export interface ClustersOptions extends Pick<KubeconfigOptions, 'allowInsecureTls'> {
  readonly clock: Pick<Clock, 'monotonic'>
  /** Concurrent requests to one cluster. */
  readonly concurrency?: number
  /** Timeout of one request. */
  readonly timeoutMs?: number
  /** Access to EKS clusters; if absent, there is no AWS identity, and they are refused. */
  readonly eks?: EksAccess
  /** Access to the clusters in ConfigMaps; other providers' clusters are refused. */
  readonly providers?: Partial<Readonly<Record<Exclude<ClusterProviderName, 'aws'>, ClusterProvider>>>
  /** Forbidden addresses of kubeconfigs; link-local ones if absent. */
  readonly forbids?: AddressCheck
  /** Called once per kubeconfig with the settings in it that are ignored; contains no secret. */
  readonly onWarning?: (server: string, warning: string) => void
}

/** How to reach a cluster; `tokens` if the access does not include credentials. */
interface Access {
  readonly access: ClusterAccess
  readonly tokens?: TokenSource
}

interface Open extends Access {
  readonly connection: Connection
  usedAt: number
  close(): Promise<void>
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64')

const IDLE_MS = 10 * 60_000

/**
 * Clients of a process. One connection for each kubeconfig serves all its units; it is closed ten minutes after its
 * last use.
 */
export const clusters = (options: ClustersOptions): Clusters => {
  const { clock } = options
  /** By digest of the kubeconfig, the least recently opened first. */
  const open = new Map<string, Open>()

  const closeIdle = (): void => {
    for (const [digest, { usedAt, close }] of open)
      if (clock.monotonic() - usedAt > IDLE_MS) {
        open.delete(digest)
        void close()
      }
  }
  const requireEks = (): EksAccess => {
    if (!options.eks) throw new KubeconfigError('EKS requires an AWS identity, and this hub has none: use a token')
    return options.eks
  }
  const accessTo = async (named: NamedCluster, signal?: AbortSignal): Promise<Access> => {
    const { provider, cluster, known, at } = named
    if (provider === 'aws') {
      if (named.audiences.length > 0)
        throw new KubeconfigError(`${at}: audiences is not supported with provider aws; leave it out`)
      const eksCluster = eksClusterOf(cluster, at)
      const { address, certificateAuthority } = await requireEks().find(eksCluster, known, signal)
      const eks = { clusterName: eksCluster.name, region: eksCluster.region }
      return { access: { server: address, certificateAuthority, insecureSkipTlsVerify: false, eks, warnings: [] } }
    }
    const find = options.providers?.[provider]
    if (!find) throw new KubeconfigError(`${at}: this hub has no identity for provider ${provider}`)
    const { address, certificateAuthority, tokens } = await find(named, signal)
    const access = { server: address, certificateAuthority, insecureSkipTlsVerify: false, warnings: [] }
    return { access, tokens }
  }
  const connect = ({ access, tokens }: Access): Open => {
    for (const warning of access.warnings) options.onWarning?.(access.server, warning)
    const transport = httpsTransport(access, {
      tokens: tokens ?? (access.eks && requireEks().tokens(access.eks, access)),
      forbids: options.forbids,
    })
    const opened: Open = {
      access,
      connection: connection(
        access.server,
        request => {
          opened.usedAt = clock.monotonic()
          return transport.send(request)
        },
        { ...options, certificateAuthority: access.certificateAuthority },
      ),
      usedAt: clock.monotonic(),
      close: transport.close,
    }
    return opened
  }

  const use = (digest: string, access: Access): Open => {
    const found = open.get(digest) ?? connect(access)
    open.set(digest, found)
    found.usedAt = clock.monotonic()
    return found
  }

  return {
    fromKubeconfig: (text, impersonate) => {
      closeIdle()
      const digest = digestOf(text)
      const { connection, access } = use(digest, open.get(digest) ?? { access: parseKubeconfig(text, options) })
      return clusterClient(connection, impersonate ?? access.impersonate)
    },
    fromConfigMap: async (configMap, impersonate, signal) => {
      closeIdle()
      const named = namedClusterOf(configMap)
      const digest = digestOf(JSON.stringify(named))
      const access = open.get(digest) ?? (await accessTo(named, signal))
      return clusterClient(use(digest, access).connection, impersonate)
    },
    close: async () => {
      const closing = [...open.values()].map(({ close }) => close())
      open.clear()
      await Promise.all(closing)
    },
  }
}
