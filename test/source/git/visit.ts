import { type GitCredentials, readCredentials } from '../../../lib/sources/git/credentials.ts'
import { type GitLimits, type GitSession, gitClient } from '../../../lib/sources/git/git-client.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { wires } from '../../bed/wires.ts'

export interface Visiting {
  readonly secret?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly limits?: GitLimits
}

/** A visit to a repository by a client of the running test's own. */
export const visiting = (address: string, { secret = {}, signal, limits }: Visiting = {}): GitSession => {
  const url = new URL(address)
  const client = gitClient(wires(), limits)
  const bytes = Object.entries(secret).map(([key, value]) => [key, Buffer.from(value)] as const)
  const credentials: GitCredentials = readCredentials(url, new Map(bytes))
  const visit = client.visit({ url, credentials, signal: signal ?? AbortSignal.timeout(20_000) })
  endWithTest({ [Symbol.asyncDispose]: visit.close })
  return visit
}
