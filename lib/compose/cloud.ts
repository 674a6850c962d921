import { readFile } from 'node:fs/promises'
import { fetch as undiciFetch } from 'undici'
import type { AmbientPorts } from '../cloud/cloud-ports.ts'
import type { Fetch } from '../cloud/exchange.ts'
import type { Clock } from '../ports/clock.ts'
import { guardedAgent } from '../source/http/guarded-agent.ts'

export interface Cloud extends AmbientPorts {
  /** Lets go of connections. */
  close(): Promise<void>
}

/**
 * How the clouds' services are reached. `metadataService` lets this process ask the machine it runs on for its own identity,
 * at a link-local address; everything else is refused there.
 */
export const composeCloud = (clock: Clock, { metadataService }: { readonly metadataService: boolean }): Cloud => {
  const agent = guardedAgent()
  const guarded: Fetch = (url, init) => undiciFetch(url, { ...init, dispatcher: agent })
  const plain: Fetch = (url, init) => undiciFetch(url, init)
  return {
    fetch: guarded,
    ...(metadataService && { metadataFetch: plain }),
    clock,
    environment: process.env,
    readFile: path => readFile(path, 'utf8'),
    close: () => agent.close(),
  }
}
