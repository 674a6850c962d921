import { fetch as undiciFetch } from 'undici'
import { guardedAgent } from './guarded-agent.ts'

/** `fetch` that connects to no link-local address, whatever a name resolves to. */
export const guardedFetch = (): typeof fetch => {
  const dispatcher = guardedAgent()
  return ((input: string | URL, init: object = {}) => undiciFetch(input, { ...init, dispatcher })) as never
}
