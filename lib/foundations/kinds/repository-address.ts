/**
 * A repository by host and path, however it is written: without scheme, user, default port, a slash or `.git` at the end,
 * the host in lower case. `https://Git.Example.com/a/b.git`, `ssh://git@git.example.com:22/a/b` and `git@git.example.com:a/b`
 * are one.
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
