/**
 * Normalizes a repository's address to host and path: drops scheme, user, default port, and a trailing slash or `.git`; lower-cases the
 * host. `https://Git.Example.com/a/b.git`, `ssh://git@git.example.com:22/a/b` and `git@git.example.com:a/b` are equal.
 */
export const repositoryAddress = (address: string): string => {
  const bare = address.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
  const hasScheme = bare !== address.trim()
  const [, host = '', rest = ''] = /^(?:[^@/]*@)?([^/]*)(.*)$/s.exec(hasScheme ? bare : withSlash(bare)) ?? []
  const path = rest
    .replace(/[?#].*$/s, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  return (
    host
      .toLowerCase()
      .replace(/:(22|80|443)$/, '')
      .replace(/^index\.docker\.io$/, 'docker.io') + path
  )
}

/** Git's short form of an ssh address, `user@host:path`. */
const withSlash = (address: string): string => address.replace(/^((?:[^@/]*@)?[^:/]+):(?!\d+\/)/, '$1/')
