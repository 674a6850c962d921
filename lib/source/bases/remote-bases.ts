import type { Remotes } from '../../kustomize/remotes.ts'
import type { GitClient } from '../git/git-client.ts'
import { guardedAgent } from '../http/guarded-agent.ts'
import { type RemoteFileLimits, remoteFile } from './remote-file.ts'
import { remoteRepository } from './remote-repository.ts'

const defaultLimits: RemoteFileLimits = { maxBytes: 32 << 20, timeoutMs: 30_000 }

/** Fetches what kustomizations name by URL, as sources are fetched: nothing from link-local addresses, all of it bounded. */
export const remoteBases = (
  git: GitClient,
  limits: RemoteFileLimits = defaultLimits,
): Remotes & { close(): Promise<void> } => {
  const agent = guardedAgent()
  return { file: remoteFile(agent, limits), repository: remoteRepository(git), close: () => agent.destroy() }
}
