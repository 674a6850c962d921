import { GitError } from './git-error.ts'

/** A submodule's entry in `.gitmodules`. */
export interface GitModule {
  /** Its folder in the repository. */
  readonly path: string
  readonly url: string
}

const section = /^\s*\[\s*submodule\s+"((?:[^"\\]|\\.)*)"\s*\]\s*(?:[#;].*)?$/
const anySection = /^\s*\[/
const entry = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*?)\s*$/

/** Reads `.gitmodules`, by the folders of the submodules. Skips entries without a path or an address. */
export const readGitModules = (text: string): ReadonlyMap<string, GitModule> => {
  const found = new Map<string, { path?: string; url?: string }>()
  let current: { path?: string; url?: string } | undefined
  for (const line of text.split(/\r?\n/)) {
    const name = section.exec(line)?.[1]
    if (name !== undefined) {
      current = found.get(name) ?? {}
      found.set(name, current)
    } else if (anySection.test(line)) current = undefined
    else {
      const [, key = '', value = ''] = entry.exec(line) ?? []
      const field = key.toLowerCase()
      if (current && (field === 'path' || field === 'url')) current[field] = unquoted(value)
    }
  }
  const modules = [...found.values()].flatMap(({ path, url }) => (path && url ? [{ path, url }] : []))
  return new Map(modules.map(module => [module.path, module]))
}

const unquoted = (value: string): string =>
  value.startsWith('"') ? value.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1') : value.replace(/\s+[#;].*$/, '')

const scpLike = /^(?:([\w.-]+)@)?([\w.-]+):(?!\/\/|:)(.+)$/

/** The address of a submodule, resolved against its parent repository. Fails with GitError for other protocols. */
export const submoduleUrl = (parent: URL, address: string): URL => {
  const [, user = 'git', host, path] = scpLike.exec(address) ?? []
  const url = isRelative(address)
    ? relativeTo(parent, address)
    : host
      ? URL.parse(`ssh://${user}@${host}/${path!.replace(/^\//, '')}`)
      : URL.parse(address)
  if (url && ['http:', 'https:', 'ssh:'].includes(url.protocol)) return url
  throw new GitError('unsupported', 'a submodule has an address that is neither HTTP/S nor SSH')
}

const isRelative = (address: string): boolean => address.startsWith('./') || address.startsWith('../')

/** `../other` is a sibling of the repository, as in git. */
const relativeTo = (parent: URL, address: string): URL | null => {
  const url = new URL(parent.href)
  const names = url.pathname.replace(/\/+$/, '').split('/')
  for (const name of address.split('/')) {
    if (name === '..') {
      if (names.length <= 1) return null
      names.pop()
    } else if (name !== '.' && name !== '') names.push(name)
  }
  url.pathname = names.join('/')
  return url
}
