import type { FileChanges } from '../../engines/image-policy/commit-message.ts'
import type { LatestImage } from '../../engines/image-policy/image-setters.ts'
import type { ImageUpdateAutomation } from '../../foundations/kinds/image-update-automation.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { Checkout, GitSession } from '../../sources/git/git-client.ts'
import { formatOf } from '../../sources/git/git-object.ts'
import { newObjects } from '../../sources/git/push/new-objects.ts'
import type { Commit } from '../../sources/git/read-object.ts'
import type { Target } from '../../sources/git/reference.ts'
import { isMistake } from '../runtime/halt.ts'
import { branchReference } from './commit-and-push.ts'
import { failed } from './halts.ts'
import type { AutomationSource } from './open-source.ts'
import { manifestsBelow, type UpdatedFiles, updateFiles } from './update-files.ts'

/** What a run commits, and over what. */
export interface Start {
  readonly checkout: Checkout
  /** What the push branch is at; undefined if it does not exist. */
  readonly branchHead: string | undefined
  /** What is to be committed; without files if nothing is. */
  readonly updated: UpdatedFiles
  /** What the push branch changes of the branch that is checked out; only for pull requests. */
  readonly proposed?: FileChanges
  /** The head of the push branch is a commit of this automation. */
  readonly isOwnHead?: boolean
}

export interface StartInput {
  readonly source: AutomationSource
  readonly target: Target
  readonly policies: readonly LatestImage[]
}

/** Fetches what a run starts from, and writes the images into its files. Fails with GitError; halts if files can't be updated. */
export const startRun = async (
  automation: ImageUpdateAutomation,
  session: GitSession,
  input: StartInput,
): Promise<Start> => {
  const { source, target, policies } = input
  const { path } = automation.spec.update ?? {}
  const options = manifestsBelow(path)
  const update = (checkout: Checkout) => attemptUpdate(() => updateFiles(checkout, path, policies))
  const branchHead = source.switchesBranch
    ? (await session.receiver()).references.get(branchReference(source.pushBranch))
    : target.commit
  const fetchBranch = (commit: string) => session.fetch({ label: source.pushBranch, commit, want: commit }, options)

  if (!source.proposal && source.continuesBranch) {
    const continues = branchHead !== undefined && source.switchesBranch
    const checkout = continues ? await fetchBranch(branchHead) : await session.fetch(target, options)
    return { checkout, branchHead, updated: update(checkout) }
  }

  // The branch is one commit over its base; that of a pull request only as long as nobody else has pushed to it.
  const base = await session.fetch(target, options)
  const updated = update(base)
  const proposed = updated.changes
  if (branchHead === undefined || updated.files.size === 0) return { checkout: base, branchHead, updated, proposed }
  const branch = await fetchBranch(branchHead)
  const isOwnHead = isCommitOf(automation, branch.commit)
  if (source.continuesBranch && !(isOwnHead && source.isForced))
    return { checkout: branch, branchHead, updated: update(branch), proposed, isOwnHead }
  const isCurrent = isOwnHead && (source.continuesBranch ? holds(branch, updated) : isOver(base, updated, branch))
  const nothing = { files: new Map(), changes: new Map() }
  return { checkout: base, branchHead, updated: isCurrent ? nothing : updated, proposed, isOwnHead }
}

export const isCommitOf = (automation: ImageUpdateAutomation, { committer }: Commit): boolean =>
  committer.endsWith(`<${automation.spec.git!.commit.author.email}>`)

const holds = ({ tree }: Checkout, { files }: UpdatedFiles): boolean =>
  [...files].every(([file, content]) => {
    const there = tree.get(file)
    return there !== undefined && Buffer.from(there.content).equals(content)
  })

/** Whether a branch is just the files over its base: the same commit again would only have another date. */
const isOver = (base: Checkout, { files }: UpdatedFiles, { commit }: Checkout): boolean =>
  commit.parent === base.commit.id && commit.tree === base.change(files, newObjects(formatOf(commit.id)))

const attemptUpdate = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    if (isMistake(error)) throw error
    throw failed('UpdateFailed', `failed to apply policies: ${errorMessage(error)}`, error)
  }
}
