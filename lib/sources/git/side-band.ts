import type { Spool } from '../spool.ts'
import { GitError } from './git-error.ts'
import { type PacketReader, remoteMessage } from './pkt-line.ts'

/** Reads a pack that is multiplexed with progress messages (ignored) and errors (thrown); it ends with a flush. */
export const readSideBand = async (response: PacketReader, pack: Spool): Promise<void> => {
  for (let packet = await response.read(); packet !== 'flush'; packet = await response.read()) {
    if (typeof packet === 'string') throw new GitError('protocol', 'the pack is truncated')
    const band = packet[0]
    const content = packet.subarray(1)
    if (band === 1) pack.append(content)
    else if (band === 3) throw new GitError('refused', remoteMessage(Buffer.from(content).toString('utf8')))
    else if (band !== 2) throw new GitError('protocol', 'the response uses an unknown side band')
  }
}
