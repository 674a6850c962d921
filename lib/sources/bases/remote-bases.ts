import type { Remotes } from '../../engines/kustomize/remotes.ts'
import type { Connections } from '../../platform/http/connections.ts'
import type { GitClient } from '../git/git-client.ts'
import { type RemoteFileLimits, remoteFile } from './remote-file.ts'
import { remoteRepository } from './remote-repository.ts'

const defaultLimits: RemoteFileLimits = { maxBytes: 32 << 20, timeoutMs: 30_000 }

/**
 * Fetches the remote bases of kustomizations under the rules for sources: never from link-local addresses, and within
 * limits.
 */
export const remoteBases = (
  git: GitClient,
  connections: Connections,
  limits: RemoteFileLimits = defaultLimits,
): Remotes => ({
  file: remoteFile(connections.open().agent, limits),
  repository: remoteRepository(git),
})
