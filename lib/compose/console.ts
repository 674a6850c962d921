import type { ApiHandler } from '../hub/apiserver/api-server.ts'
import { type Listener, listen } from '../hub/apiserver/wire/listen.ts'
import { withConsole } from '../hub/console/console-server.ts'
import { createLoginLinks } from '../hub/console/login-links.ts'
import { type OidcEndpointsOptions, oidcEndpoints } from '../hub/console/oidc-endpoints.ts'
import { createSessions, type SessionPorts } from '../hub/console/sessions.ts'
import type { Clock } from '../platform/ports/clock.ts'
import { readConsolePages } from './console-pages.ts'

export interface ConsolePorts extends SessionPorts {
  readonly clock: Clock
}

/** The console in front of an API, with links that log in as the administrator. */
export interface ComposedConsole {
  readonly handle: ApiHandler
  /** Listens for browsers, and returns the listener. Fails with the system's error. */
  listen(ports: ConsoleListening): Promise<Listener>
  /** A new link; undefined before it listens. */
  loginUrl(): string | undefined
}

interface ConsoleListening {
  /** Fixed if given. */
  readonly port: number | undefined
  /** Used by default, unless it is in use. */
  readonly usual: number
}

/** Where people log in besides links. */
export type ConsoleLogins = Pick<OidcEndpointsOptions, 'logins' | 'onFailure'>

/** undefined if the console was not bundled: then there is only the API. */
export const composeConsole = (
  ports: ConsolePorts,
  api: ApiHandler,
  adminToken: string,
  logins?: ConsoleLogins,
): ComposedConsole | undefined => {
  const pages = readConsolePages()
  if (!pages) return undefined
  const links = createLoginLinks(ports)
  let address: string | undefined
  const sessions = createSessions(ports)
  const atIssuers = logins && oidcEndpoints({ ...ports, ...logins, sessions })
  const handle = withConsole({ api, pages, links, sessions, address: () => address, ...(atIssuers && { atIssuers }) })
  return {
    handle,
    listen: async listening => {
      const listener = await listenOnPort(handle, listening)
      address = listener.url
      return listener
    },
    loginUrl: () => address && `${address}/login#${links.issue({ token: adminToken })}`,
  }
}

/** In plain HTTP, on loopback: browsers trust no authority of a hub's own. */
const listenOnPort = async (handle: ApiHandler, { port, usual }: ConsoleListening): Promise<Listener> => {
  if (port !== undefined) return listen({ handle, port })
  try {
    return await listen({ handle, port: usual })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return listen({ handle, port: 0 })
  }
}
