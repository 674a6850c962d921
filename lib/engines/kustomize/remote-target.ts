import { parseBool } from '../../foundations/go/parse-bool.ts'
import { parseDuration } from '../../foundations/kinds/duration.ts'

/** A git repository that a kustomization refers to, and the directory in it. */
export interface RemoteTarget {
  /** The URL to clone. */
  readonly url: string
  /** Branch, tag or commit; the default branch if absent. */
  readonly ref?: string
  /** Directory in the repository, `''` for its root. */
  readonly path: string
  /** Whether to clone submodules as well. */
  readonly submodules: boolean
  readonly timeoutSeconds: number
}

/** Whether a path is a file to fetch over HTTP. */
export const isRemoteFile = (path: string): boolean => /^https?:/i.test(path)

/**
 * Parses an entry of `resources` or `components` as a git repository, in kustomize's forms: URLs with a scheme (ssh, https, http, file),
 * `user@host:path`, and `github.com/org/repo`. undefined for anything else.
 * https://github.com/kubernetes-sigs/kustomize/blob/master/examples/remoteBuild.md
 */
export const parseRemoteTarget = (text: string): RemoteTarget | undefined => {
  const [address, ...query] = text.split('?')
  const located = splitHost(address!.replace(/^git::/i, ''))
  const parts = located && splitRepository(located.rest, located.host === 'file://')
  if (!located || !parts || parts.repository === '') return undefined
  const path = cleanPath(parts.path)
  if (path === undefined) return undefined
  return { url: located.host + parts.repository, path, ...readQuery(query.join('?')) }
}

/** Splits off the host, including the separator after it. */
const splitHost = (text: string): { host: string; rest: string } | undefined => {
  const scheme = /^(?:ssh|https?|file):\/\//i.exec(text)?.[0] ?? ''
  const afterScheme = text.slice(scheme.length)
  if (scheme.toLowerCase() === 'file://') return { host: 'file://', rest: afterScheme }
  const user = /^[a-zA-Z][a-zA-Z0-9-]*@/.exec(afterScheme)?.[0] ?? ''
  const location = afterScheme.slice(user.length)
  const onGithub = /^github\.com[/:]/i.test(location)
  // Without a scheme, only a user or GitHub's host name distinguishes a repository from a directory; a colon may then end the host.
  const scpStyle = scheme === '' && (user !== '' || onGithub)
  if (scheme === '' && !scpStyle) return undefined
  const end = location.search(scpStyle ? /[/:]/ : /\//)
  if (end <= 0) return undefined
  const rest = location.slice(end + 1)
  if (!onGithub) return { host: scheme.toLowerCase() + user + location.slice(0, end + 1), rest }
  if (scheme.toLowerCase() === 'ssh://' || user !== '') return { host: `${user || 'git@'}github.com:`, rest }
  return { host: 'https://github.com/', rest }
}

/** Where the repository path ends: after `_git/NAME`, before `//`, after `.git`, or otherwise after two parts. */
const splitRepository = (text: string, isFile: boolean): { repository: string; path: string } | undefined => {
  const azure = /^.*?_git\/[^/]*/.exec(text)?.[0]
  if (azure !== undefined) return { repository: azure, path: text.slice(azure.length) }
  const slashes = text.indexOf('//')
  if (slashes >= 0) return { repository: text.slice(0, slashes), path: text.slice(slashes + 2) }
  const suffix = text.indexOf('.git')
  if (suffix >= 0) return { repository: text.slice(0, suffix + 4), path: text.slice(suffix + 4) }
  if (isFile) return { repository: text, path: '' }
  const parts = text.split('/')
  return parts.length < 2 ? undefined : { repository: parts.slice(0, 2).join('/'), path: parts.slice(2).join('/') }
}

/** undefined for a path that leaves the repository. */
const cleanPath = (path: string): string | undefined => {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

const DEFAULT_TIMEOUT_SECONDS = 27

const readQuery = (text: string): Pick<RemoteTarget, 'ref' | 'submodules' | 'timeoutSeconds'> => {
  const query = new URLSearchParams(isGoQuery(text) ? text : undefined)
  const ref = query.get('ref') || query.get('version')
  const timeout = query.get('timeout') ?? ''
  return {
    ...(ref && { ref }),
    submodules: parseBool(query.get('submodules') ?? '') ?? true,
    timeoutSeconds: secondsOf(timeout) ?? DEFAULT_TIMEOUT_SECONDS,
  }
}

/** Go refuses an invalid query as a whole. */
const isGoQuery = (text: string): boolean => !/;|%(?![\da-f]{2})/i.test(text)

/** From whole seconds, or a Go duration; undefined for anything else, or if not positive. */
const secondsOf = (text: string): number | undefined => {
  const seconds = /^\+?\d+$/.test(text) ? Number(text) : (parseDuration(text) ?? 0) / 1000
  return seconds > 0 ? seconds : undefined
}
