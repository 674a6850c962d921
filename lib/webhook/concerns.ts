import type { KubernetesObject } from '../kinds/object.ts'
import type { Push } from './push.ts'
import { repositoryAddress } from './repository-address.ts'

/** How a source stands to a push: it follows what was pushed, something else of that repository, or another repository. */
export type Concern = 'same' | 'other-version' | 'other-repository'

/** Sources of other kinds are concerned by whatever is pushed. */
export const concernOf = (source: KubernetesObject, { repositories, versions }: Push): Concern => {
  const followed = follows[source.kind]
  if (!followed) return 'same'
  const { url = '', ref = {} } = (source as Source).spec ?? {}
  if (!repositories.has(repositoryAddress(url))) return 'other-repository'
  return versions.length === 0 || versions.some(version => followed(ref, version)) ? 'same' : 'other-version'
}

/** Whether a push can tell what concerns an object. */
export const isSource = ({ kind }: KubernetesObject): boolean => kind in follows

type Source = KubernetesObject & { readonly spec?: { readonly url?: string; readonly ref?: Reference } }

type Reference = Readonly<Partial<Record<'branch' | 'tag' | 'semver' | 'name' | 'commit' | 'digest', string>>>

const follows: Readonly<Record<string, (ref: Reference, version: string) => boolean>> = {
  /** In the order in which Flux looks at the fields. */
  GitRepository: ({ commit, name, semver, tag, branch }, pushed) => {
    if (commit) return true // it may have waited for this very push
    if (name) return pushed === name
    if (semver) return pushed.startsWith('refs/tags/')
    if (tag) return pushed === `refs/tags/${tag}`
    return pushed === `refs/heads/${branch ?? 'master'}`
  },
  OCIRepository: ({ digest, semver, tag }, pushed) => {
    if (digest) return false
    return semver ? true : pushed === (tag ?? 'latest')
  },
}
