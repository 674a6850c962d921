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
  /** Absent = plain HTTP. */
  readonly certificate?: Certificate
  /** PEM of the authority whose client certificates tell who calls; absent = none does. */
  readonly clientAuthority?: string
  /** 0 takes any free one. */
  readonly port: number
  readonly host?: string
  /** How long a client may take nothing of an answer before it is cut off, in milliseconds; half a minute unless given. */
  readonly stalledMs?: number
}

export interface Listener {
  /** `https://127.0.0.1:6443` */
  readonly url: string
  readonly port: number
  /** Takes no new connections, and ends the open ones, watches among them. */
  close(): Promise<void>
}

/** How long a client may take to say what it wants, in milliseconds, before its connection is closed. */
const clientLimits = {
  handshakeTimeout: 10_000,
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
}

/** Each costs up to 100 kB before it has said whose it is. */
const maxConnections = 8_000

/** An answer is sent when the system has taken all of it, or the client has gone. */
const whenFlushed = (outgoing: ServerResponse, then: () => void): void => {
  if (outgoing.writableFinished || outgoing.destroyed) then()
  else outgoing.once('finish', then).once('close', then)
}

/** Serves a handler over HTTPS, or HTTP without a certificate. Fails with the system's error (EADDRINUSE...) when the address can't be had. */
export const listen = async (options: ListenOptions): Promise<Listener> => {
  const { handle, certificate, clientAuthority, port, host = '127.0.0.1', stalledMs = 30_000 } = options
  const answer = async (
    request: Request,
    { incoming, outgoing }: { incoming: IncomingMessage; outgoing: ServerResponse },
  ) => {
    const sent = Promise.withResolvers<void>()
    try {
      await sendResponse(await handle(request, peerOf(incoming.socket), sent.promise), outgoing, stalledMs)
      return RESPONSE_ALREADY_SENT
    } finally {
      whenFlushed(outgoing, sent.resolve)
    }
  }
  const serve = getRequestListener(answer as Parameters<typeof getRequestListener>[0], { overrideGlobalObjects: false })
  const limits = { ...clientLimits, shouldUpgradeCallback: isWebSocketWatch }
  // A client without a certificate, or with one of another authority, is not turned away: it may have a token.
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
