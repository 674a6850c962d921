import { readFile } from 'node:fs/promises'
import type { AmbientPorts } from '../cloud/cloud-ports.ts'
import type { Fetch } from '../cloud/exchange.ts'
import type { Clock } from '../ports/clock.ts'
import { connections } from '../source/http/connections.ts'
import { environmentProxies, type ProxyFor } from '../source/http/environment-proxies.ts'
import { guardedFetch } from '../source/http/guarded-fetch.ts'

export interface Cloud extends AmbientPorts {
  /** The proxies that the environment of this process names. */
  readonly proxyFor: ProxyFor
  /** Lets go of connections. */
  close(): Promise<void>
}

/**
 * How the clouds' services are reached. `metadataService` lets this process ask the machine it runs on for its own identity,
 * at a link-local address; everything else is refused there.
 */
export const composeCloud = (clock: Clock, { metadataService }: { readonly metadataService: boolean }): Cloud => {
  const proxyFor = environmentProxies(process.env)
  const wires = connections(proxyFor)
  const plain: Fetch = (url, init) => fetch(url, init)
  return {
    fetch: guardedFetch(wires),
    ...(metadataService && { metadataFetch: plain }),
    proxyFor,
    clock,
    environment: process.env,
    readFile: path => readFile(path, 'utf8'),
    close: wires.close,
  }
}
