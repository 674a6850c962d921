import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Peer } from './caller.ts'

/** Who the other end of a connection is by its certificate; undefined without one that the listener's authority signed for clients. */
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
