import type { Socket } from 'node:net'
import type { AddressCheck } from '../../foundations/rules/address-policy.ts'
import type { ProxyFor } from './environment-proxies.ts'
import { guardedAgent, type HttpAgent, type TlsOptions, tlsSettings } from './guarded-agent.ts'
import { forbidsLinkLocal } from './guarded-lookup.ts'
import { guardedSocket } from './guarded-socket.ts'
import { socksSocket } from './socks-socket.ts'

/** What sets one source's connections apart from those of others. */
export interface ConnectionOptions {
  readonly tls?: TlsOptions
  /** May hold a user and password. Without one, servers are reached as this process reaches all. */
  readonly proxy?: URL
}

/** What this process knows of the way to servers outside. */
export interface NetworkSettings {
  /** The proxy that a server is reached through when its source names none; absent = directly. */
  readonly proxyFor?: ProxyFor
  /** What nobody may have us connect to; absent = link-local addresses. */
  readonly forbids?: AddressCheck
}

export interface Connections {
  /** Without options the connections are shared by all; otherwise they are the caller's, who closes them. */
  open(options?: ConnectionOptions): OpenConnections
  /** A TCP connection, for protocols other than HTTP: through a SOCKS proxy if one is given. Fails with ForbiddenAddress. */
  socket(host: string, port: number, signal: AbortSignal, proxy?: URL): Promise<Socket>
  /** The proxy that a server is reached through when its source names none: what the environment of this process says. */
  readonly proxyFor: ProxyFor
  /** What nobody may have us connect to. */
  readonly forbids: AddressCheck
  close(): Promise<void>
}

export interface OpenConnections {
  readonly agent: HttpAgent
  close(): Promise<void>
}

/**
 * How everything outside is reached: past link-local addresses, and through the proxies that `proxyFor` names. Connections to
 * servers stay open between passes, as far as nothing secret of one source rides on them.
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

/** Connections that go directly to one server, and through a proxy to another. */
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
