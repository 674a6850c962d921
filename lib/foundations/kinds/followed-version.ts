/** The versions that GitRepositories and OCIRepositories follow: the index that finds the sources affected by a push. */
import type { KubernetesObject, ObjectRef } from './object.ts'
import { groupOf } from './object.ts'
import { repositoryAddress } from './repository-address.ts'

type Reference = Readonly<Partial<Record<'branch' | 'tag' | 'semver' | 'name' | 'commit' | 'digest', string>>>

/** Matches all versions of a repository; otherwise a version is as pushed (`refs/heads/main`, or a tag of an artifact). */
const everyVersion = '*'
const everyGitTag = 'refs/tags/*'

const ofKind: Readonly<Record<string, (ref: Reference) => string | undefined>> = {
  /** In Flux's order of precedence. */
  GitRepository: ({ commit, name, semver, tag, branch }) => {
    if (commit) return everyVersion // it may be waiting for this push
    if (name) return name
    if (semver) return everyGitTag
    return tag ? `refs/tags/${tag}` : `refs/heads/${branch ?? 'master'}`
  },
  OCIRepository: ({ digest, semver, tag }) => {
    if (digest) return undefined
    return semver ? everyVersion : (tag ?? 'latest')
  },
}

/** Whether a push can name the affected objects of a kind. */
export const isPushTarget = (kind: string): boolean => Object.hasOwn(ofKind, kind)

/** The index entries that a push affects: the version itself, and those that match many. */
export const versionsFor = (pushed: string): readonly string[] =>
  pushed.startsWith('refs/tags/') ? [pushed, everyGitTag, everyVersion] : [pushed, everyVersion]

/** The address of a source's repository, and the version that it follows; undefined for other kinds. */
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

/** A name for a repository in the index of references; with a version for those that follow it, without for all. */
export const repositoryRef = (address: string, version = ''): ObjectRef => ({
  group,
  kind: 'Repository',
  namespace: version,
  name: address,
})

/** The index entries of a source. */
export const repositoriesOf = (object: KubernetesObject): readonly ObjectRef[] => {
  const followed = followedBy(object)
  if (!followed) return []
  const { address, version } = followed
  return [repositoryRef(address), ...(version === undefined ? [] : [repositoryRef(address, version)])]
}
