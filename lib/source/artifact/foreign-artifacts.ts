import { type RemoteFileLimits, remoteFile } from '../bases/remote-file.ts'
import { guardedAgent } from '../http/guarded-agent.ts'

const defaultLimits: RemoteFileLimits = { maxBytes: 256 << 20, timeoutMs: 60_000 }

/** Fetches the artifacts that others serve (ExternalArtifact) as all sources are fetched: guarded, and bounded. */
export const foreignArtifacts = (limits: RemoteFileLimits = defaultLimits) => {
  const agent = guardedAgent()
  return { download: remoteFile(agent, limits), close: () => agent.destroy() }
}
