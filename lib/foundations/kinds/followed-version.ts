/** What GitRepositories and OCIRepositories follow: the index behind "whom does this push concern". */
import type { KubernetesObject, ObjectRef } from './object.ts'
import { groupOf } from './object.ts'
import { repositoryAddress } from './repository-address.ts'

type Reference = Readonly<Partial<Record<'branch' | 'tag' | 'semver' | 'name' | 'commit' | 'digest', string>>>

/** Versions of a repository: one as it is pushed (`refs/heads/main`, a tag of an artifact), or more of them. */
export const everyVersion = '*'
const everyGitTag = 'refs/tags/*'

const ofKind: Readonly<Record<string, (ref: Reference) => string | undefined>> = {
  /** In the order in which Flux looks at the fields. */
  GitRepository: ({ commit, name, semver, tag, branch }) => {
    if (commit) return everyVersion // it may have waited for this very push
    if (name) return name
    if (semver) return everyGitTag
    return tag ? `refs/tags/${tag}` : `refs/heads/${branch ?? 'master'}`
  },
  OCIRepository: ({ digest, semver, tag }) => {
    if (digest) return undefined
    return semver ? everyVersion : (tag ?? 'latest')
  },
}

/** Whether a push can tell what concerns objects of a kind. */
export const isPushTarget = (kind: string): boolean => Object.hasOwn(ofKind, kind)

/** What concerns whom: the version itself, and those that stand for many. */
export const versionsFor = (pushed: string): readonly string[] =>
  pushed.startsWith('refs/tags/') ? [pushed, everyGitTag, everyVersion] : [pushed, everyVersion]

/** The repository of a source, by its address, and the version that it follows; undefined for other kinds. */
export const followedBy = (
  object: KubernetesObject,
): { readonly address: string; readonly version?: string } | undefined => {
  const versionOf = ofKind[object.kind]
  const { url, ref } = (object.spec ?? {}) as { readonly url?: unknown; readonly ref?: Reference }
  if (!versionOf || groupOf(object.apiVersion) !== group || typeof url !== 'string') return undefined
  const version = versionOf(ref ?? {})
  return { address: repositoryAddress(url), ...(version !== undefined && { version }) }
}

const group = 'source.toolkit.fluxcd.io'

/** A name for a repository in the index of references; with a version for those who follow it, without for all. */
export const repositoryRef = (address: string, version = ''): ObjectRef => ({
  group,
  kind: 'Repository',
  namespace: version,
  name: address,
})

/** What a source refers to, for the index. */
export const repositoriesOf = (object: KubernetesObject): readonly ObjectRef[] => {
  const followed = followedBy(object)
  if (!followed) return []
  const { address, version } = followed
  return [repositoryRef(address), ...(version === undefined ? [] : [repositoryRef(address, version)])]
}
