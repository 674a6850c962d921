import type { ApiHandler } from '../hub/apiserver/api-server.ts'
import type { SigningKey } from '../hub/apiserver/identity/signing-key.ts'
import { type Listener, listen } from '../hub/apiserver/wire/listen.ts'
import { withConsole, withSessions } from '../hub/console/console-server.ts'
import { createLoginLinks } from '../hub/console/login-links.ts'
import { type OidcEndpointsOptions, oidcEndpoints } from '../hub/console/oidc-endpoints.ts'
import { createSeals, type SealPorts } from '../hub/console/seals.ts'
import { createSessions } from '../hub/console/sessions.ts'
import { signedSeals } from '../hub/console/signed-seals.ts'
import type { ObjectStore } from '../platform/ports/objects.ts'
import type { Random } from '../platform/ports/random.ts'
import { readConsolePages } from './console-pages.ts'

export interface ConsolePorts extends SealPorts {
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly random: Pick<Random, 'bytes'>
}

/** The console in front of an API, with links that log in as the administrator. */
export interface ComposedConsole {
  readonly handle: ApiHandler
  /** Listens for browsers, and returns the listener. Fails with the system's error. */
  listen(ports: ConsoleListening): Promise<Listener>
  /** A new link; undefined before it listens. */
  loginUrl(): Promise<string | undefined>
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
  const seals = createSeals(ports)
  const links = createLoginLinks({ ...ports, seals })
  let address: string | undefined
  const sessions = createSessions({ ...ports, seals })
  const atIssuers = logins && oidcEndpoints({ ...logins, seals, sessions, address: () => undefined })
  const handle = withConsole({
    ...{ api, pages, links, sessions, address: () => address, changes: 'stream' },
    ...(atIssuers && { atIssuers }),
  })
  return {
    handle,
    listen: async listening => {
      const listener = await listenOnPort(handle, listening)
      address = listener.url
      return listener
    },
    loginUrl: async () => address && `${address}/login#${await links.issue({ token: adminToken })}`,
  }
}

export interface SessionsBehindProxy {
  /** Where browsers find the console, such as `https://hub.acme.example`; undefined if requests say so. */
  readonly address?: string | undefined
  readonly logins?: ConsoleLogins | undefined
}

/** The sessions of a console whose pages the API proxy serves, which knows sessions and logins that were begun by their signature. */
export const composeSessions = (
  { signingKey, ...ports }: ConsolePorts & { readonly signingKey: () => Promise<SigningKey> },
  api: ApiHandler,
  { address, logins }: SessionsBehindProxy = {},
): ApiHandler => {
  const seals = createSeals(ports)
  const signed = signedSeals({ ...ports, seals, key: signingKey })
  const sessions = createSessions({ ...ports, seals: signed })
  const atIssuers = logins && oidcEndpoints({ ...logins, seals: signed, sessions, address: () => address })
  return withSessions({
    ...{ api, links: createLoginLinks({ ...ports, seals }), sessions, changes: 'poll' },
    ...{ address: () => address, ...(atIssuers && { atIssuers }) },
  })
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
