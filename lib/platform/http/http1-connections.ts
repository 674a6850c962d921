import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { collectBytes } from '../../foundations/budget/collect-bytes.ts'
import type { TextResponse } from './exchange-text.ts'

interface Http1Limits {
  readonly maxConnections: number
  /** How long an idle connection stays open. */
  readonly keepAliveMs: number
  readonly maxResponseBytes: number
}

interface Http1Request {
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body?: string | undefined
  readonly signal: AbortSignal
}

/** Connections to one server over TLS and HTTP/1.1. */
export interface Http1Connections {
  /** Rejects with Node's error, or with the signal's reason once that aborts. */
  exchange(url: string, request: Http1Request): Promise<TextResponse>
  close(): void
}

/**
 * For a process that keeps to few megabytes: undici's parser of HTTP/1.1 is a WebAssembly program, and takes 1.5 MB where nothing else needs one. Unlike
 * `guardedAgent` it knows no HTTP/2 and no proxies, and refuses no address. `ca` is in PEM; that of the system if absent.
 */
export const http1Connections = (
  ca: string | undefined,
  { maxConnections: maxSockets, keepAliveMs: timeout, maxResponseBytes }: Http1Limits,
): Http1Connections => {
  const agent = new Agent({ keepAlive: true, maxSockets, timeout, ...(ca && { ca }) })
  return {
    exchange: async (url, { body, signal, ...options }) => {
      try {
        signal.throwIfAborted()
        const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
        request(url, { ...options, agent, signal }, resolve)
          .on('error', reject)
          .end(body)
        const response = await promise
        const bytes = await collectBytes(response, maxResponseBytes)
        if (!bytes) throw new Error(`the response has more than ${maxResponseBytes} bytes`)
        return { status: response.statusCode ?? 0, headers: response.headers, body: bytes.toString('utf8') }
      } catch (error) {
        // Connections to a server that does not respond may all be dead without either end knowing: further requests open others.
        if ((signal.reason as Error | undefined)?.name === 'TimeoutError') closeIdle(agent)
        throw signal.aborted ? signal.reason : error
      }
    },
    close: () => agent.destroy(),
  }
}

const closeIdle = (agent: Agent): void => {
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy()
}
