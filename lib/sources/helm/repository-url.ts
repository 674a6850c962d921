import { RepositoryError } from './chart-repository.ts'

/**
 * Normalizes a repository's URL for comparison and resolution: with a trailing slash, or without one for registries.
 */
export const normalizeUrl = (address: string): string => {
  const url = URL.parse(address)
  if (!url) throw new RepositoryError(`parse ${JSON.stringify(address)}: invalid URL`)
  const path = url.pathname.replace(/\/+$/, '')
  if (url.protocol === 'oci:') return `oci://${url.host}${path}`
  url.pathname = `${path}/`
  return url.href
}
