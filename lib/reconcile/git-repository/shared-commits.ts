import type { GitRepository } from '../../foundations/kinds/git-repository.ts'
import type { GitCredentials } from '../../sources/git/credentials.ts'
import { fetchesOfPass, type OpenFetch, type PassFetches } from '../source-artifact/shared-fetches.ts'

export type OpenCommits = (repository: GitRepository, url: URL, credentials: GitCredentials) => PassFetches

/**
 * The commits that a pass may share. What a repository makes of a commit is its own with includes, with signatures to verify, and where the spec
 * names the commit, about which no server is asked.
 */
export const sharedCommits =
  (open: OpenFetch): OpenCommits =>
  ({ spec }, url, credentials) => {
    const { ref, include, verify, ignore = null, sparseCheckout = [], recurseSubmodules = false } = spec
    if (ref?.commit || include?.length || verify) return fetchesOfPass(open, undefined)
    const rules = { ignore, sparseCheckout, recurseSubmodules }
    return fetchesOfPass(open, { kind: 'git', address: url.href, access: accessOf(url, credentials), rules })
  }

/** Undefined for who asks as anybody would. */
const accessOf = (url: URL, { authorization, tls, ssh, proxy }: GitCredentials): unknown => {
  const isAnybody =
    !authorization && !ssh && !proxy && !url.username && !url.password && Object.values(tls).every(part => !part)
  return isAnybody ? undefined : { authorization, tls, ssh, proxy }
}
