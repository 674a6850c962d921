/** A repository in a registry. */
export interface RepositoryName {
  /** Host and optional port. */
  readonly registry: string
  readonly path: string
}

/** An invalid name. The message is go-containerregistry's. */
export class InvalidName extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidName'
  }
}

const DOCKER_HUB = 'index.docker.io'
const repositoryCharacters = 'abcdefghijklmnopqrstuvwxyz0123456789_-./'

/**
 * Reads `<host>[:<port>]/<path>`. As in docker, a first part without dot and colon is not a host, and the default host
 * is Docker Hub. Fails with InvalidName.
 */
export const parseRepository = (address: string): RepositoryName => {
  if (address === '') throw new InvalidName('a repository name must be specified')
  const slash = address.indexOf('/')
  const first = address.slice(0, Math.max(slash, 0))
  const hasHost = /[.:]/.test(first)
  const registry = hasHost && first !== 'docker.io' ? first : DOCKER_HUB
  const path = hasHost ? address.slice(slash + 1) : address
  requirePath(path)
  requireHost(registry)
  return { registry, path: registry === DOCKER_HUB && !path.includes('/') ? `library/${path}` : path }
}

const requirePath = (path: string): void => {
  if (path.length < 2 || path.length > 255) {
    throw new InvalidName(`repository must be between 2 and 255 characters in length: ${path}`)
  }
  for (const character of path) {
    if (!repositoryCharacters.includes(character)) {
      throw new InvalidName(`repository can only contain the characters \`${repositoryCharacters}\`: ${path}`)
    }
  }
}

const requireHost = (registry: string): void => {
  const isHost =
    /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?$/.test(registry) && URL.canParse(`https://${registry}`)
  if (!isHost) throw new InvalidName(`registries must be valid RFC 3986 URI authorities: ${registry}`)
}

/** Whether a registry may be contacted without TLS if it has none: it is on this machine, or in a private network. */
export const isLocal = (registry: string): boolean => {
  const host = registry.replace(/:[0-9]+$/, '')
  return (
    registry.startsWith('localhost:') ||
    /\.local(host)?$/.test(host) ||
    host.includes('127.0.0.1') ||
    host.includes('::1') ||
    isPrivate(host)
  )
}

const isPrivate = (host: string): boolean => {
  const [a, b, c, d] = host.split('.').map(part => (/^[0-9]{1,3}$/.test(part) ? Number(part) : Number.NaN))
  if ([a, b, c, d].some(part => part === undefined || !(part <= 255))) return false
  return a === 10 || (a === 172 && b! >= 16 && b! < 32) || (a === 192 && b === 168)
}

/** `ghcr.io/org/app`, as in messages and status; Docker Hub's registry is written out. */
export const nameOf = ({ registry, path }: RepositoryName): string => `${registry}/${path}`
