import type { ProviderAccess } from '../provider-access.ts'

/** A repository as its clone address names it: `https://host` and the path without slashes around it and `.git`. */
export interface GitAddress {
  readonly origin: string
  readonly path: string
}

/** ssh addresses stand for https ones, as in Flux. Fails when it is no address. */
export const gitAddressOf = ({ address, type }: ProviderAccess): GitAddress => {
  const short = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(address)
  const url = URL.parse(short ? `ssh://${short[1]}/${short[2]}` : address)
  if (!url?.host) throw new Error(`the address of a provider of type ${type} must be that of a git repository`)
  const isSsh = url.protocol === 'ssh:'
  return {
    origin: isSsh ? `https://${url.hostname}` : url.origin,
    path: url.pathname.replace(/^\/+|\/+$/g, '').replace(/\.git$/, ''),
  }
}

/** Owner and name of a repository on a forge that has no deeper paths. */
export const ownerAndName = ({ path }: GitAddress): readonly [string, string] => {
  const [owner = '', name = '', ...more] = path.split('/')
  if (!owner || !name || more.length > 0) throw new Error(`invalid repository id: '${path}'`)
  return [owner, name]
}

/** The token, or what stands as a password. */
export const tokenOf = ({ token, password, type }: ProviderAccess): string => {
  const found = token || password
  if (!found) throw new Error(`${type} token cannot be empty`)
  return found
}

/** GitHub's API: that of github.com, or of an enterprise server. */
export const githubApi = ({ origin }: GitAddress): string =>
  origin === 'https://github.com' ? 'https://api.github.com' : `${origin}/api/v3`
