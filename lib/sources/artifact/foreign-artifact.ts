import type { Connections } from '../../platform/http/connections.ts'
import { type RemoteFileLimits, remoteFile } from '../bases/remote-file.ts'

const defaultLimits: RemoteFileLimits = { maxBytes: 256 << 20, timeoutMs: 60_000 }

/** Fetches an artifact that somebody else serves (ExternalArtifact) as all sources are fetched: guarded, and bounded. */
export const foreignArtifact = (wires: Connections, limits: RemoteFileLimits = defaultLimits) =>
  remoteFile(wires.open().agent, limits)
