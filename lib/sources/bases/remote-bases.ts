import type { Remotes } from '../../engines/kustomize/remotes.ts'
import type { Connections } from '../../platform/http/connections.ts'
import type { GitClient } from '../git/git-client.ts'
import { type RemoteFileLimits, remoteFile } from './remote-file.ts'
import { remoteRepository } from './remote-repository.ts'

const defaultLimits: RemoteFileLimits = { maxBytes: 32 << 20, timeoutMs: 30_000 }

/** Fetches what kustomizations name by URL, as sources are fetched: nothing from link-local addresses, all of it bounded. */
export const remoteBases = (git: GitClient, wires: Connections, limits: RemoteFileLimits = defaultLimits): Remotes => ({
  file: remoteFile(wires.open().agent, limits),
  repository: remoteRepository(git),
})
