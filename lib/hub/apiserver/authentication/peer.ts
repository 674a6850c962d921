import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Peer } from './caller.ts'

/** The identity of the other end of a connection, from its certificate; undefined unless the listener's authority signed it for clients. */
export const peerOf = (socket: Socket): Peer | undefined => {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const { subject, fingerprint256 } = socket.getPeerCertificate()
  const commonName = [subject?.CN ?? []].flat()[0]
  if (!commonName) return undefined
  return {
    commonName,
    organizations: [subject.O ?? []].flat(),
    fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
  }
}
