import { lookup } from 'node:dns'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { AddressCheck } from '../../foundations/rules/address-policy.ts'
import { guarded, requireAllowed } from './guarded-lookup.ts'

/** A TCP connection for protocols other than HTTP, which refuses addresses like `guardedAgent`. */
export const guardedSocket = async (
  host: string,
  port: number,
  signal: AbortSignal,
  forbids: AddressCheck,
): Promise<Socket> => {
  requireAllowed(host, forbids)
  const socket = connect({ host, port, lookup: guarded(lookup, forbids), noDelay: true })
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}
