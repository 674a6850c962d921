import { InvalidConstraint, parseConstraint } from '../../engines/semver/constraint.ts'
import { highestTags } from '../../engines/semver/matching-tags.ts'
import type { GitReference } from '../../foundations/kinds/git-repository.ts'
import { GitError } from './git-error.ts'
import { formatOf, isObjectId } from './git-object.ts'
import type { RemoteReference } from './remote.ts'

/** What a reference of a GitRepository resolves to. */
export interface Target {
  /** Prefix of the revision: `main`, `v1.2.0`, `refs/pull/1/head`; undefined for a plain commit. */
  readonly label?: string
  readonly commit: string
  /** The object to fetch: the tag object of an annotated tag, otherwise the commit. */
  readonly want: string
  /** Name of the requested tag. */
  readonly tag?: string
  /** The reference names the commit itself, and the server has not confirmed that it exists. */
  readonly isPinned?: true
}

/** `main@sha1:<commit>`, or `sha1:<commit>` for a plain commit; `sha256:` in repositories with that object format. */
export const revisionOf = ({ label, commit }: Pick<Target, 'label' | 'commit'>): string =>
  `${label ? `${label}@` : ''}${formatOf(commit)}:${commit}`

/**
 * How to resolve a reference: what to request from the server, and how to read the response. Precedence: commit, name,
 * tag, semver, branch (as Flux implements it, whatever its documentation says); default is the branch `master`.
 */
export interface ReferenceQuery {
  /** Prefixes of the reference names to request; if empty, no request is needed. */
  readonly prefixes: readonly string[]
  /**
   * Resolves the reference. Returns several targets only for versions that differ in build metadata alone: the newest
   * commit wins. Fails with GitError `referenceNotFound`, in Flux's wording.
   */
  readonly targetsIn: (references: readonly RemoteReference[]) => readonly Target[]
}

/** The query for a reference of a GitRepository; `address` is the repository in messages. */
export const referenceQuery = (reference: GitReference, address: string): ReferenceQuery => {
  const { commit, name, tag, semver, branch } = reference
  if (commit) return commitQuery(commit, branch)
  if (name) return nameQuery(name)
  if (tag) return exactQuery(tagPrefix + tag, tag, address, tag)
  if (semver) return semverQuery(semver)
  return exactQuery(`refs/heads/${branch || 'master'}`, branch || 'master', address)
}

const notFound = (message: string): GitError => new GitError('referenceNotFound', message)

/** A commit that the repository, or the branch beside it in the spec, doesn't have. */
export const commitNotFound = (commit: string): GitError =>
  notFound(`unable to resolve commit object for '${commit}': object not found`)

const commitQuery = (commit: string, branch?: string): ReferenceQuery => ({
  prefixes: [],
  targetsIn: () => {
    if (!isObjectId(commit)) throw commitNotFound(commit)
    return [{ ...(branch && { label: branch }), commit, want: commit, isPinned: true }]
  },
})

const tagPrefix = 'refs/tags/'
const PEELED = '^{}'

const nameQuery = (name: string): ReferenceQuery => {
  if (name.startsWith('/') || name.endsWith('/')) {
    throw notFound(`ref ${name} is invalid; Git refs cannot begin or end with a slash '/'`)
  }
  const bare = name.endsWith(PEELED) ? name.slice(0, -PEELED.length) : name
  return {
    prefixes: [bare],
    targetsIn: references => {
      const found = references.find(reference => reference.name === bare)
      if (!found) throw notFound(`unable to resolve ref '${name}' to a specific commit`)
      const tag = bare.startsWith(tagPrefix) ? bare.slice(tagPrefix.length) : undefined
      return [targetOf(found, name, tag)]
    },
  }
}

const exactQuery = (name: string, label: string, address: string, tag?: string): ReferenceQuery => ({
  prefixes: [name],
  targetsIn: references => {
    const found = references.find(reference => reference.name === name)
    if (!found) throw notFound(`unable to clone '${address}': couldn't find remote ref "${name}"`)
    return [targetOf(found, label, tag)]
  },
})

const semverQuery = (range: string): ReferenceQuery => {
  const constraint = readConstraint(range)
  return {
    prefixes: [tagPrefix],
    targetsIn: references => {
      const tags = new Map(
        references.filter(({ name }) => name.startsWith(tagPrefix)).map(tag => [tag.name.slice(tagPrefix.length), tag]),
      )
      const highest = highestTags(constraint, tags.keys())
      if (highest.length === 0) throw notFound(`no match found for semver: ${range}`)
      return highest.map(tag => targetOf(tags.get(tag)!, tag, tag))
    },
  }
}

const readConstraint = (range: string) => {
  try {
    return parseConstraint(range)
  } catch (error) {
    if (error instanceof InvalidConstraint) throw notFound(`semver parse error: ${error.message}`)
    throw error
  }
}

const targetOf = ({ id, peeled }: RemoteReference, label: string, tag?: string): Target => ({
  label,
  commit: peeled ?? id,
  want: id,
  ...(tag && { tag }),
})
