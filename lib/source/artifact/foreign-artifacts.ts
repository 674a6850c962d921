import { type Connections, connections } from '../../http/connections.ts'
import { type RemoteFileLimits, remoteFile } from '../bases/remote-file.ts'

const defaultLimits: RemoteFileLimits = { maxBytes: 256 << 20, timeoutMs: 60_000 }

/** Fetches the artifacts that others serve (ExternalArtifact) as all sources are fetched: guarded, and bounded. */
export const foreignArtifacts = (wires: Connections = connections(), limits: RemoteFileLimits = defaultLimits) => ({
  download: remoteFile(wires.open().agent, limits),
  close: wires.close,
})
