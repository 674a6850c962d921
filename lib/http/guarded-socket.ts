import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { isLinkLocal } from '../rules/link-local.ts'
import { ForbiddenAddress, guarded } from './guarded-lookup.ts'

/** A TCP connection, for protocols other than HTTP. Link-local addresses are refused as in `guardedAgent`. */
export const guardedSocket = async (host: string, port: number, signal: AbortSignal): Promise<Socket> => {
  if (isLinkLocal(host)) throw new ForbiddenAddress(host)
  const socket = connect({ host, port, lookup: guarded(), noDelay: true })
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}
