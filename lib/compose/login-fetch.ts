import { connections } from '../platform/http/connections.ts'
import { environmentProxies } from '../platform/http/environment-proxies.ts'
import { type GuardedFetch, guardedFetch } from '../platform/http/guarded-fetch.ts'

export interface LoginFetch {
  readonly fetch: GuardedFetch
  close(): Promise<void>
}

/**
 * Connections of a command to the issuer that its user names: at any address, through the proxies of this process. `ca` is PEM,
 * trusted in addition to the public authorities.
 */
export const loginFetch = (env: NodeJS.ProcessEnv, ca?: string): LoginFetch => {
  const pool = connections({ proxyFor: environmentProxies(env), forbids: () => undefined })
  const opened = pool.open(ca ? { tls: { ca } } : {})
  return {
    fetch: guardedFetch({ open: () => opened }),
    close: async () => {
      await opened.close()
      await pool.close()
    },
  }
}
