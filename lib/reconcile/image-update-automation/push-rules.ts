import type { GitReference } from '../../foundations/kinds/git-repository.ts'

/** Feature gates of image-automation-controller. */
export interface GitGates {
  /** Pushes to another branch than the one that is checked out replace what is there (GitForcePushBranch). */
  readonly gitForcePush: boolean
  /** All branches are cloned, so that one to push to is known (GitAllBranchReferences). */
  readonly gitAllBranches: boolean
  /** Only the last commit is cloned (GitShallowClone). */
  readonly gitShallowClone: boolean
}

export const defaultGitGates: GitGates = { gitForcePush: true, gitAllBranches: true, gitShallowClone: true }

/** How commits get onto a push branch. */
export interface PushRules {
  /** The branch that is checked out; empty if it is none. */
  readonly base: string
  /** Commits go to another branch than the one that is checked out. */
  readonly switchesBranch: boolean
  /** The branch is continued where it exists; otherwise each run starts at what is checked out. */
  readonly continuesBranch: boolean
  /** Commits that only the target of a push has are given up. */
  readonly isForced: boolean
  /** A target at an older commit differs from one with commits of its own. */
  readonly knowsHistory: boolean
}

/** The default branch of Flux. */
const defaultBranch = 'master'

/** The rules for a checkout. Without a reference that is the default branch. */
export const pushRulesOf = (pushBranch: string, reference: GitReference | undefined, gates: GitGates): PushRules => {
  const { branch: base = '' } = reference ?? { branch: defaultBranch }
  const switchesBranch = pushBranch !== base
  return {
    ...{ base, switchesBranch },
    continuesBranch: !switchesBranch || isBranchCloned(reference ?? {}, gates),
    isForced: switchesBranch && gates.gitForcePush,
    knowsHistory: !gates.gitShallowClone || isByCommit(reference ?? {}),
  }
}

/** Clones of a tag have no branches, and those of a range of versions have all of them, whatever the gate says: go-git has no other way. */
const isBranchCloned = (reference: GitReference, { gitAllBranches }: GitGates): boolean => {
  const { name = '', tag, semver, branch } = reference
  if (isByCommit(reference)) return !branch || gitAllBranches
  if (name ? isTag(name) : tag) return false
  return gitAllBranches || (!name && Boolean(semver))
}

/** The clone of a commit, or of a reference that is neither branch nor tag, has its history, whatever the gate says. */
const isByCommit = ({ commit, name }: GitReference): boolean =>
  Boolean(commit) || (Boolean(name) && !isTag(name!) && !name!.startsWith('refs/heads/'))

const isTag = (name: string): boolean => name.startsWith('refs/tags/')
