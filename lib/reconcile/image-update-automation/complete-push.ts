import type { ImageUpdateAutomation } from '../../foundations/kinds/image-update-automation.ts'
import type { GitSession } from '../../sources/git/git-client.ts'
import { GitError } from '../../sources/git/git-error.ts'
import { formatOf } from '../../sources/git/git-object.ts'
import { newObjects } from '../../sources/git/push/new-objects.ts'
import { branchReference, isStored, mirrorOf, type Pushed, pushFailed, termsOf } from './commit-and-push.ts'
import type { AutomationSource } from './open-source.ts'
import { isCommitOf, type Start } from './start-run.ts'

interface CompleteOptions extends Pick<Start, 'checkout' | 'branchHead'> {
  readonly source: AutomationSource
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Pushes to the target of a refspec what a run has pushed to the branch before it died: on a server without atomic pushes the target comes after
 * the branch. Only forward, by the commit of that run. Returns what was pushed, or undefined if nothing is missing or commits would be lost.
 */
export const completePush = async (
  automation: ImageUpdateAutomation,
  session: GitSession,
  { checkout: { commit }, branchHead, source, now }: CompleteOptions,
): Promise<Pushed | undefined> => {
  const { refspec } = automation.spec.git?.push ?? {}
  const isLeft = commit.id === branchHead && commit.id !== automation.status?.lastPushCommit
  if (!refspec || !isLeft || !isCommitOf(automation, commit)) return undefined
  const branch = branchReference(source.pushBranch)
  const mirror = mirrorOf(refspec, branch, source)
  if (mirror instanceof GitError || mirror.target === branch || !isStored(mirror.target)) return undefined
  const receiver = await session.receiver().catch(pushFailed)
  const from = receiver.references.get(mirror.target)
  const pushed: Pushed = {
    ...{ commit: commit.id, branch: source.pushBranch, refspec, message: commit.message.trimEnd() },
    references: [branch, mirror.target],
  }
  if (from === commit.id) return pushed
  if (from !== undefined && from !== commit.parent) return undefined
  const updates = [{ name: mirror.target, from, to: commit.id }]
  const terms = termsOf(automation, source, now)
  await receiver.push({ objects: newObjects(formatOf(commit.id)), updates, ...terms }).catch(pushFailed)
  return pushed
}
