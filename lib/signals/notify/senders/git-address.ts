import type { ProviderAccess } from '../provider-access.ts'

/** A repository from its clone URL: `https://host`, and the path without surrounding slashes and `.git`. */
export interface GitAddress {
  readonly origin: string
  readonly path: string
}

/** Maps ssh addresses to https, as in Flux. Fails if the address is invalid. */
export const parseGitAddress = ({ address, type }: ProviderAccess): GitAddress => {
  const short = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(address)
  const url = URL.parse(short ? `ssh://${short[1]}/${short[2]}` : address)
  if (!url?.host) throw new Error(`the address of a provider of type ${type} must be that of a git repository`)
  const isSsh = url.protocol === 'ssh:'
  return {
    origin: isSsh ? `https://${url.hostname}` : url.origin,
    path: url.pathname.replace(/^\/+|\/+$/g, '').replace(/\.git$/, ''),
  }
}

/** Owner and name of a repository on a forge without nested groups. */
export const ownerAndName = ({ path }: GitAddress): readonly [string, string] => {
  const [owner = '', name = '', ...more] = path.split('/')
  if (!owner || !name || more.length > 0) throw new Error(`invalid repository id: '${path}'`)
  return [owner, name]
}

/** The token, or the password in its place. */
export const requireToken = ({ token, password, type }: ProviderAccess): string => {
  const found = token || password
  if (!found) throw new Error(`${type} token cannot be empty`)
  return found
}

/** Base URL of GitHub's API: github.com's, or that of an enterprise server. */
export const githubApi = ({ origin }: GitAddress): string =>
  origin === 'https://github.com' ? 'https://api.github.com' : `${origin}/api/v3`
