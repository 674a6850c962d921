import { readFile } from 'node:fs/promises'
import { type AddressRules, addressPolicy } from '../foundations/rules/address-policy.ts'
import type { AmbientPorts } from '../platform/cloud/cloud-ports.ts'
import { type Connections, connections } from '../platform/http/connections.ts'
import { environmentProxies } from '../platform/http/environment-proxies.ts'
import { guardedFetch } from '../platform/http/guarded-fetch.ts'
import type { Clock } from '../platform/ports/clock.ts'

export interface Cloud extends AmbientPorts {
  /** The ways to servers outside, as the environment of this process sets them. */
  readonly connections: Connections
  /** Closes all connections. */
  close(): Promise<void>
}

export interface CloudSettings extends AddressRules {
  /** Lets this process ask the machine it runs on for its own identity, at a link-local address. */
  readonly metadataService: boolean
}

/** How servers outside are reached, those of clouds among them: only addresses that the operator's rules allow. */
export const composeCloud = (clock: Clock, { metadataService, ...rules }: CloudSettings): Cloud => {
  const wires = connections({ proxyFor: environmentProxies(process.env), forbids: addressPolicy(rules) })
  const unguarded = connections({ forbids: () => undefined })
  return {
    fetch: guardedFetch(wires),
    ...(metadataService && { metadataFetch: guardedFetch(unguarded) }),
    connections: wires,
    clock,
    environment: process.env,
    readFile: path => readFile(path, 'utf8'),
    close: async () => {
      await Promise.all([wires.close(), unguarded.close()])
    },
  }
}
