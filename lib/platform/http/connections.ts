import type { Socket } from 'node:net'
import type { AddressCheck } from '../../foundations/rules/address-policy.ts'
import type { ProxyFor } from './environment-proxies.ts'
import { guardedAgent, type HttpAgent, type TlsOptions, tlsSettings } from './guarded-agent.ts'
import { forbidsLinkLocal } from './guarded-lookup.ts'
import { guardedSocket } from './guarded-socket.ts'
import { socksSocket } from './socks-socket.ts'

/** What distinguishes one source's connections from those of others. */
export interface ConnectionOptions {
  readonly tls?: TlsOptions
  /** May contain a user and password. Absent = the proxy of this process, if any. */
  readonly proxy?: URL
}

/** How this process reaches external servers. */
export interface NetworkSettings {
  /** The proxy for a server whose source names none; absent = direct connections. */
  readonly proxyFor?: ProxyFor
  /** Addresses that no source may connect to; absent = link-local addresses. */
  readonly forbids?: AddressCheck
}

export interface Connections {
  /** Without options the connections are shared by all; otherwise the caller owns them and closes them. */
  open(options?: ConnectionOptions): OpenConnections
  /** A TCP connection for protocols other than HTTP, through a SOCKS proxy if given. Fails with ForbiddenAddress. */
  socket(host: string, port: number, signal: AbortSignal, proxy?: URL): Promise<Socket>
  /** The proxy for a server whose source names none, from the environment of this process. */
  readonly proxyFor: ProxyFor
  /** Addresses that no source may connect to. */
  readonly forbids: AddressCheck
  close(): Promise<void>
}

export interface OpenConnections {
  readonly agent: HttpAgent
  close(): Promise<void>
}

/**
 * Opens all connections to external servers: refuses forbidden addresses, and uses the proxies of `proxyFor`. Connections stay open between passes
 * unless they carry a source's credentials.
 */
export const connections = ({
  proxyFor = () => undefined,
  forbids = forbidsLinkLocal,
}: NetworkSettings = {}): Connections => {
  const common = routed(proxyFor, forbids)
  return {
    open: ({ tls = {}, proxy } = {}) => {
      if (!proxy && Object.keys(tls).length === 0) return { agent: common.agent, close: async () => {} }
      if (!proxy) return routed(proxyFor, forbids, tls)
      const agent = guardedAgent({ tls: tlsSettings(tls), proxy, forbids })
      return { agent, close: () => agent.destroy() }
    },
    socket: (host, port, signal, proxy) =>
      proxy ? socksSocket(proxy, host, port, signal, forbids) : guardedSocket(host, port, signal, forbids),
    proxyFor,
    forbids,
    close: common.close,
  }
}

/** Chooses a proxy, or a direct connection, per server. */
const routed = (proxyFor: ProxyFor, forbids: AddressCheck, tls: TlsOptions = {}): OpenConnections => {
  const options = { tls: tlsSettings(tls), forbids }
  const direct = guardedAgent(options)
  const proxied = new Map<string, HttpAgent>()
  const through = (proxy: URL): HttpAgent => {
    const agent = proxied.get(proxy.href) ?? guardedAgent({ ...options, proxy, forbidsProxy: forbidsLinkLocal })
    proxied.set(proxy.href, agent)
    return agent
  }
  const agent = direct.compose(dispatch => (options, handler) => {
    const server = new URL(String(options.origin))
    const proxy = proxyFor(server)
    if (!proxy) return dispatch(options, handler)
    return through(proxy).dispatch(options, handler)
  })
  const close = async (): Promise<void> => {
    await Promise.all([direct, ...proxied.values()].map(each => each.destroy()))
  }
  return { agent, close }
}
