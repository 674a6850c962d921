import type { Dispatcher } from 'undici'
import { guardedAgent, proxiedAgent, type TlsOptions } from './guarded-agent.ts'

/** What sets one source's connections apart from those of others. */
export interface ConnectionOptions {
  readonly tls?: TlsOptions
  /** May hold a user and password. */
  readonly proxy?: URL
}

export interface Connections {
  /** Without options the connections are shared by all; otherwise they are the caller's, who closes them. */
  open(options?: ConnectionOptions): OpenConnections
  close(): Promise<void>
}

export interface OpenConnections {
  readonly agent: Dispatcher
  close(): Promise<void>
}

/** Keeps connections to servers open between passes, as far as nothing secret of one source rides on them. */
export const connections = (): Connections => {
  const common = guardedAgent()
  return {
    open: ({ tls = {}, proxy } = {}) => {
      if (!proxy && Object.keys(tls).length === 0) return { agent: common, close: async () => {} }
      const agent = proxy ? proxiedAgent(proxy, tls) : guardedAgent(tls)
      return { agent, close: () => agent.destroy() }
    },
    close: () => common.destroy(),
  }
}
