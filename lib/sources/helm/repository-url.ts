import { RepositoryError } from './chart-repository.ts'

/** A repository's address in the one form that is compared and resolved against: a folder, or of a registry without slash. */
export const normalizeUrl = (address: string): string => {
  const url = URL.parse(address)
  if (!url) throw new RepositoryError(`parse ${JSON.stringify(address)}: invalid URL`)
  const path = url.pathname.replace(/\/+$/, '')
  if (url.protocol === 'oci:') return `oci://${url.host}${path}`
  url.pathname = `${path}/`
  return url.href
}
