import { http1Connections } from '../../platform/http/http1-connections.ts'
import type { ClusterAccess } from './kubeconfig.ts'
import type { Transport } from './transport.ts'
import { unreachable } from './unreachable.ts'

const limits = { maxConnections: 4, keepAliveMs: 60_000, maxResponseBytes: 256 * 1024 * 1024 }

/** Connections over HTTP/1.1 to a hub, kept alive until closed, which take less memory than those of `httpsTransport`. Knows no proxies and no credentials. */
export const http1Transport = ({
  server,
  certificateAuthority,
}: Pick<ClusterAccess, 'server' | 'certificateAuthority'>): { readonly send: Transport; close(): Promise<void> } => {
  const { origin, pathname } = new URL(server)
  const base = origin + pathname.replace(/\/+$/, '')
  const connections = http1Connections(certificateAuthority, limits)
  const send: Transport = async ({ path, ...request }) => {
    const url = base + path
    try {
      const { status, headers, body } = await connections.exchange(url, request)
      return { status, header: name => [headers[name]].flat()[0], body }
    } catch (error) {
      throw unreachable(request.method, url, error)
    }
  }
  return { send, close: async () => connections.close() }
}
