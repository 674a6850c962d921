import type { Connections } from '../../platform/http/connections.ts'
import { type RemoteFileLimits, remoteFile } from '../bases/remote-file.ts'

const defaultLimits: RemoteFileLimits = { maxBytes: 256 << 20, timeoutMs: 60_000 }

/**
 * Downloads an artifact that another controller serves (ExternalArtifact), with the guards and limits of other sources.
 */
export const externalArtifactDownload = (connections: Connections, limits: RemoteFileLimits = defaultLimits) =>
  remoteFile(connections.open().agent, limits)
