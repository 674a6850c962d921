import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ApiHandler } from '../api-server.ts'
import { peerOf } from '../authentication/peer.ts'
import type { Certificate } from '../identity/certificate.ts'
import { sendResponse } from './send-response.ts'
import { isWebSocketWatch, serveWebSocket } from './web-socket.ts'

export interface ListenOptions {
  readonly handle: ApiHandler
  /** Plain HTTP if absent. */
  readonly certificate?: Certificate
  /** PEM of the authority whose client certificates authenticate callers; if absent, none do. */
  readonly clientAuthority?: string
  /** 0 chooses a free port. */
  readonly port: number
  readonly host?: string
  /** How long a client may stop receiving a response before it is disconnected, in milliseconds; half a minute by default. */
  readonly stalledMs?: number
}

export interface Listener {
  /** `https://127.0.0.1:6443` */
  readonly url: string
  readonly port: number
  /** Stops accepting connections, and ends open ones, including watches. */
  close(): Promise<void>
}

/** How long a client may take to send its request, in milliseconds, before its connection is closed. */
const clientLimits = {
  handshakeTimeout: 10_000,
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
}

/** Each takes up to 100 kB before it is authenticated. */
const maxConnections = 8_000

/** A response is sent when the system has accepted all of it, or the client has disconnected. */
const whenFlushed = (outgoing: ServerResponse, then: () => void): void => {
  if (outgoing.writableFinished || outgoing.destroyed) then()
  else outgoing.once('finish', then).once('close', then)
}

/** Serves a handler over HTTPS, or HTTP without a certificate. Fails with the system's error (EADDRINUSE...) if the address is unavailable. */
export const listen = async (options: ListenOptions): Promise<Listener> => {
  const { handle, certificate, clientAuthority, port, host = '127.0.0.1', stalledMs = 30_000 } = options
  const respond = async (
    request: Request,
    { incoming, outgoing }: { incoming: IncomingMessage; outgoing: ServerResponse },
  ) => {
    const sent = Promise.withResolvers<void>()
    try {
      const { socket } = incoming
      const response = await handle(request, peerOf(socket), sent.promise, socket.remoteAddress)
      await sendResponse(response, outgoing, stalledMs)
      return RESPONSE_ALREADY_SENT
    } finally {
      whenFlushed(outgoing, sent.resolve)
    }
  }
  const serve = getRequestListener(respond as Parameters<typeof getRequestListener>[0], {
    overrideGlobalObjects: false,
  })
  const limits = { ...clientLimits, shouldUpgradeCallback: isWebSocketWatch }
  // A client without a certificate, or with one of another authority, is not rejected: it may have a token.
  const clients = clientAuthority ? { requestCert: true, rejectUnauthorized: false, ca: clientAuthority } : {}
  const server = certificate
    ? createHttpsServer({ cert: certificate.certificate, key: certificate.key, ...clients, ...limits }, serve)
    : createHttpServer(limits, serve)
  server.maxConnections = maxConnections
  const webSocket = serveWebSocket(handle, stalledMs)
  server.on('upgrade', (incoming, socket, head) => void webSocket(incoming, socket, head).catch(() => socket.destroy()))
  server.listen(port, host)
  await once(server, 'listening')
  const { port: actual } = server.address() as AddressInfo
  return {
    url: `${certificate ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    port: actual,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
