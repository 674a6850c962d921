import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { RequestHandler } from './api-server.ts'
import type { Certificate } from './certificate.ts'

export interface ListenOptions {
  readonly handle: RequestHandler
  /** Absent = plain HTTP. */
  readonly certificate?: Certificate
  /** 0 takes any free one. */
  readonly port: number
  readonly host?: string
}

export interface Listener {
  /** `https://127.0.0.1:6443` */
  readonly url: string
  readonly port: number
  /** Takes no new connections, and ends the open ones, watches among them. */
  close(): Promise<void>
}

/** Serves a handler over HTTPS, or HTTP without a certificate. Fails with the system's error (EADDRINUSE...) when the address can't be had. */
export const listen = async ({ handle, certificate, port, host = '127.0.0.1' }: ListenOptions): Promise<Listener> => {
  const serve = getRequestListener(handle, { overrideGlobalObjects: false })
  const limits = { requestTimeout: 60_000 }
  const server = certificate
    ? createHttpsServer({ cert: certificate.certificate, key: certificate.key, ...limits }, serve)
    : createHttpServer(limits, serve)
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
