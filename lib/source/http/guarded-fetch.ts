import { fetch as undiciFetch } from 'undici'
import { type Connections, connections } from './connections.ts'

/** `fetch` that connects to no link-local address, whatever a name resolves to. */
export const guardedFetch = (wires: Connections = connections()): typeof fetch => {
  const { agent: dispatcher } = wires.open()
  return ((input: string | URL, init: object = {}) => undiciFetch(input, { ...init, dispatcher })) as never
}
