import { createHash } from 'node:crypto'
import type { Clock } from '../ports/clock.ts'
import type { ClusterClient } from './client.ts'
import { clusterClient } from './cluster-client.ts'
import { type Connection, connection } from './connection.ts'
import { httpsTransport } from './https-transport.ts'
import { type ClusterAccess, type Impersonation, type KubeconfigOptions, parseKubeconfig } from './kubeconfig.ts'

/** The remote clusters in use: one set of connections and one discovery per kubeconfig, however many objects use it. */
export interface Clusters {
  /** Fails with a KubeconfigError; the network is not touched before the client's first call. */
  fromKubeconfig(text: string, impersonate?: Impersonation): ClusterClient
  close(): Promise<void>
}

export interface ClustersOptions extends Pick<KubeconfigOptions, 'allowInsecureTls'> {
  readonly clock: Pick<Clock, 'now'>
  /** Requests at a time to one cluster. */
  readonly concurrency?: number
  /** For one request. */
  readonly timeoutMs?: number
  /** Hears, once per kubeconfig, what it asks for that is left out; there is no secret in it. */
  readonly onWarning?: (server: string, warning: string) => void
}

interface Open {
  readonly access: ClusterAccess
  readonly connection: Connection
  usedAt: number
  close(): Promise<void>
}

const IDLE_MS = 10 * 60_000

export const clusters = (options: ClustersOptions): Clusters => {
  const { clock } = options
  /** By the digest of the kubeconfig, least recently opened first. */
  const open = new Map<string, Open>()

  const closeIdle = (): void => {
    for (const [digest, { usedAt, close }] of open)
      if (clock.now() - usedAt > IDLE_MS) {
        open.delete(digest)
        void close()
      }
  }
  const connect = (text: string): Open => {
    const access = parseKubeconfig(text, options)
    for (const warning of access.warnings) options.onWarning?.(access.server, warning)
    const transport = httpsTransport(access)
    const opened: Open = {
      access,
      connection: connection(
        access.server,
        request => {
          opened.usedAt = clock.now()
          return transport.send(request)
        },
        options,
      ),
      usedAt: clock.now(),
      close: transport.close,
    }
    return opened
  }

  return {
    fromKubeconfig: (text, impersonate) => {
      closeIdle()
      const digest = createHash('sha256').update(text).digest('base64')
      const found = open.get(digest) ?? connect(text)
      open.set(digest, found)
      found.usedAt = clock.now()
      return clusterClient(found.connection, impersonate ?? found.access.impersonate)
    },
    close: async () => {
      const closing = [...open.values()].map(({ close }) => close())
      open.clear()
      await Promise.all(closing)
    },
  }
}
