import { readFile } from 'node:fs/promises'
import { type AddressRules, addressPolicy } from '../foundations/rules/address-policy.ts'
import type { AmbientPorts } from '../platform/cloud/cloud-ports.ts'
import { type Connections, connections } from '../platform/http/connections.ts'
import { environmentProxies } from '../platform/http/environment-proxies.ts'
import { guardedFetch } from '../platform/http/guarded-fetch.ts'
import type { Clock } from '../platform/ports/clock.ts'

export interface Cloud extends AmbientPorts {
  /** Connections to external servers, as configured by this process's environment. */
  readonly connections: Connections
  /** Closes all connections. */
  close(): Promise<void>
}

export interface CloudSettings extends AddressRules {
  /** Lets this process request its own identity from its machine's metadata service, at a link-local address. */
  readonly metadataService: boolean
}

/** Access to external servers, including clouds: only to addresses that the operator's rules allow. */
export const composeCloud = (clock: Clock, { metadataService, ...rules }: CloudSettings): Cloud => {
  const pool = connections({ proxyFor: environmentProxies(process.env), forbids: addressPolicy(rules) })
  const unguarded = connections({ forbids: () => undefined })
  return {
    fetch: guardedFetch(pool),
    ...(metadataService && { metadataFetch: guardedFetch(unguarded) }),
    connections: pool,
    clock,
    environment: process.env,
    readFile: path => readFile(path, 'utf8'),
    close: async () => {
      await Promise.all([pool.close(), unguarded.close()])
    },
  }
}
