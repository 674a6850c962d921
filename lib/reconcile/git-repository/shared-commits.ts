import type { GitRepository } from '../../foundations/kinds/git-repository.ts'
import type { GitCredentials } from '../../sources/git/credentials.ts'
import { fetchesOfPass, type OpenFetch, type PassFetches } from '../source-artifact/shared-fetches.ts'

export type OpenCommits = (repository: GitRepository, url: URL, credentials: GitCredentials) => PassFetches

/**
 * The commits that a pass may share. A repository does not share them if it has includes, verifies signatures, or names the commit: then
 * the server does not confirm that the credentials may read it.
 */
export const sharedCommits =
  (open: OpenFetch): OpenCommits =>
  ({ spec }, url, credentials) => {
    const { ref, include, verify, ignore = null, sparseCheckout = [], recurseSubmodules = false } = spec
    if (ref?.commit || include?.length || verify) return fetchesOfPass(open, undefined)
    const rules = { ignore, sparseCheckout, recurseSubmodules }
    return fetchesOfPass(open, { kind: 'git', address: url.href, access: accessOf(url, credentials), rules })
  }

/** Undefined for anonymous access. */
export const accessOf = (url: URL, { authorization, tls, ssh, proxy }: GitCredentials): unknown => {
  const isAnonymous =
    !authorization && !ssh && !proxy && !url.username && !url.password && Object.values(tls).every(part => !part)
  return isAnonymous ? undefined : { authorization, tls, ssh, proxy }
}
