import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:tls'
import { certificateAuthority } from './certificates.ts'
import { joinSockets } from './forward-proxy.ts'
import type { HubApi } from './hub.ts'

/** What ends TLS in front of a hub, under a name that the hub's own certificate does not have. */
export interface TlsFront extends AsyncDisposable {
  /** On loopback. */
  readonly port: number
  /** The hub for connections from now on; returns where it is for clients that reach the port by the name. */
  leadTo(hub: HubApi): HubApi
}

export const tlsFront = async (name: string): Promise<TlsFront> => {
  const authority = certificateAuthority()
  const sockets = new Set<Socket>()
  let hub: HubApi | undefined
  const server = createServer(authority.issue(name, [name]), socket => {
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    if (!hub) return void socket.destroy()
    const { hostname: host, port } = new URL(hub.server)
    joinSockets(socket, connect({ host, port: Number(port), ca: hub.certificateAuthority }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: it => {
      hub = it
      return { server: `https://${name}`, certificateAuthority: authority.ca }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
