import { ForgeError } from './forge.ts'

/** The path segments of a repository's URL, without `.git`: owner and name, and groups if the forge has them. */
export const repositoryPath = (url: URL, { exactly }: { readonly exactly?: number } = {}): readonly string[] => {
  const parts = url.pathname
    .replace(/\.git\/?$/, '')
    .split('/')
    .filter(part => part !== '')
    .map(part => decodeURIComponent(part))
  if (parts.length < 2 || (exactly !== undefined && parts.length !== exactly))
    throw new ForgeError(`invalid URL '${url.origin}${url.pathname}': it must be the address of a repository`)
  return parts
}
