import { type GitCredentials, readCredentials } from '../../../lib/sources/git/credentials.ts'
import { type GitSession, gitClient } from '../../../lib/sources/git/git-client.ts'
import type { GitLimits } from '../../../lib/sources/git/limits.ts'
import { sshTransport } from '../../../lib/sources/git/ssh/ssh-transport.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { wires } from '../../bed/wires.ts'

export interface SessionSettings {
  readonly secret?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly limits?: GitLimits
}

/** A session with a repository, by a client of the running test's own. */
export const openSession = (address: string, { secret = {}, signal, limits }: SessionSettings = {}): GitSession => {
  const url = new URL(address)
  const client = gitClient(wires(), { ssh: sshTransport, ...(limits && { limits }) })
  const bytes = Object.entries(secret).map(([key, value]) => [key, Buffer.from(value)] as const)
  const credentials: GitCredentials = readCredentials(url, new Map(bytes))
  const session = client.open({ url, credentials, signal: signal ?? AbortSignal.timeout(20_000) })
  endWithTest({ [Symbol.asyncDispose]: session.close })
  return session
}
