import { commitMessage, type FileChanges, RemovedTemplateField } from '../../engines/image-policy/commit-message.ts'
import type { FunctionMap } from '../../engines/template/values/value.ts'
import type { ImageUpdateAutomation } from '../../foundations/kinds/image-update-automation.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { namespaceOf } from '../../hub/references/references.ts'
import type { Checkout, GitSession } from '../../sources/git/git-client.ts'
import { GitError } from '../../sources/git/git-error.ts'
import { formatOf } from '../../sources/git/git-object.ts'
import { newObjects } from '../../sources/git/push/new-objects.ts'
import type { PushRequest, Receiver, ReferenceUpdate } from '../../sources/git/push/receive-pack.ts'
import { identityOf, writeCommit } from '../../sources/git/push/write-commit.ts'
import { isMistake } from '../runtime/halt.ts'
import { failed, stalled } from './halts.ts'
import type { AutomationSource } from './open-source.ts'
import type { PushRules } from './push-rules.ts'
import type { UpdatedFiles } from './update-files.ts'

export interface Pushed {
  readonly commit: string
  readonly branch: string
  readonly refspec: string | undefined
  readonly message: string
  /** The full names of the references that are at the commit now. */
  readonly references: readonly string[]
}

interface CommitOptions {
  readonly checkout: Checkout
  /** What the push branch must be at; undefined if it does not exist yet. */
  readonly branchHead: string | undefined
  readonly updated: UpdatedFiles
  readonly source: AutomationSource
  readonly functions: FunctionMap
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Commits new contents of files over a checkout, and pushes the commit. Halts on failure, except that GitError `conflict` is thrown as it is. */
export const commitAndPush = async (
  automation: ImageUpdateAutomation,
  session: GitSession,
  options: CommitOptions,
): Promise<Pushed> => {
  const { checkout, branchHead, updated, source, now } = options
  const message = messageOf(automation, { changes: updated.changes, functions: options.functions })
  const objects = newObjects(formatOf(checkout.commit.id))
  const terms = termsOf(automation, source, now)
  const commit = objects.add({
    type: 'commit',
    content: await writeCommit(
      {
        tree: checkout.change(updated.files, objects),
        parent: checkout.commit.id,
        author: pusherOf(automation),
        at: now,
        message,
      },
      objects.format,
      terms.signer?.sign,
    ),
  })
  const { refspec } = automation.spec.git?.push ?? {}
  const request = { objects, ...terms }
  const branch = { name: branchReference(source.pushBranch), from: branchHead, to: commit }
  try {
    const mirror = refspec ? mirrorOf(refspec, branch.name, source) : undefined
    const isOlder = async (from: string | undefined) =>
      from === undefined ||
      [checkout.commit.id, commit].includes(from) ||
      (source.knowsHistory && (await session.isAncestor(from, checkout.commit.id)))
    if (!source.isForced && !(await isOlder(branchHead))) throw notForced(branch.name)
    const references = await pushTo(session, request, branch, { isOlder, mirror })
    return { commit, branch: source.pushBranch, refspec, message, references }
  } catch (error) {
    return pushFailed(error)
  }
}

const pusherOf = (automation: ImageUpdateAutomation) => {
  const { name = '', email } = automation.spec.git!.commit.author
  return { name, email }
}

/** How an automation signs its pushes, and the push options that it sends. */
export const termsOf = (
  automation: ImageUpdateAutomation,
  source: AutomationSource,
  now: number,
): Pick<PushRequest, 'signer' | 'options'> => {
  const sign = source.sign && ((payload: Uint8Array) => source.sign!(payload).catch(updateFailed))
  const options = Object.entries(automation.spec.git?.push?.options ?? {}).map(([name, value]) => `${name}=${value}`)
  return { options, signer: sign && { sign, pusher: identityOf(pusherOf(automation)), now } }
}

/** A conflict stays one, for which the run starts over. */
export const pushFailed = (error: unknown): never => {
  if (!(error instanceof GitError) || error.code === 'conflict') throw error
  return updateFailed(new Error(`failed to push to remote: ${error.message}`, { cause: error }))
}

interface Placement {
  /** Whether no commit is lost when a reference moves on from there: as far as a clone of Flux shows that. */
  readonly isOlder: (from: string | undefined) => Promise<boolean>
  readonly mirror: Mirror | GitError | undefined
}

/**
 * Pushes to the branch and to the target of the refspec, in one atomic push if the server allows that, otherwise one after the other,
 * as Flux does. Returns the names of both. A target with other commits is refused after the push to the branch, as by go-git.
 */
const pushTo = async (
  session: GitSession,
  request: Omit<PushRequest, 'updates'>,
  branch: ReferenceUpdate,
  { isOlder, mirror }: Placement,
): Promise<readonly string[]> => {
  const receiver = await session.receiver()
  if (!mirror || mirror instanceof GitError || mirror.target === branch.name) {
    await receiver.push({ ...request, updates: [branch] })
    if (mirror instanceof GitError) throw mirror
    return [branch.name]
  }
  const { target, isForced } = mirror
  const updateIn = ({ references }: Receiver) => ({ name: target, from: references.get(target), to: branch.to })
  const together = updateIn(receiver)
  const isAllowed = isForced || (await isOlder(together.from))
  if (receiver.isAtomic && isStored(target) && isAllowed) {
    await receiver.push({ ...request, updates: [branch, together] })
    return [branch.name, target]
  }
  await receiver.push({ ...request, updates: [branch] })
  const next = await session.receiver()
  const update = updateIn(next)
  if (update.from === update.to) return [branch.name, target]
  if (!isForced && !(isAllowed && update.from === together.from)) throw notForced(target)
  await next.push({ ...request, updates: [update] })
  return [branch.name, target]
}

const notForced = (reference: string): GitError => new GitError('refused', `non-fast-forward update: ${reference}`)

/** Others may be requests to the server, such as Gerrit's `refs/for/main`, which it handles apart from updates. */
export const isStored = (reference: string): boolean => /^refs\/(?:heads|tags)\//.test(reference)

/** The full name of a branch, as pushes and `ls-refs` have it. */
export const branchReference = (branch: string): string => `refs/heads/${branch}`

/** The message of a commit. Halts if its template can't be used. */
export const messageOf = (
  automation: ImageUpdateAutomation,
  { changes, functions }: { readonly changes: FileChanges; readonly functions: FunctionMap },
): string => {
  const { messageTemplate, messageTemplateValues: values } = automation.spec.git!.commit
  const data = {
    automation: { namespace: namespaceOf(automation), name: automation.metadata.name },
    changes,
    values,
  }
  try {
    return commitMessage(messageTemplate, data, functions)
  } catch (error) {
    if (error instanceof RemovedTemplateField) throw stalled('RemovedTemplateField', error.message)
    return updateFailed(error)
  }
}

const updateFailed = (error: unknown): never => {
  if (isMistake(error)) throw error
  throw failed('GitOperationFailed', `failed to update source: ${errorMessage(error)}`, error)
}

/** Where else a commit is pushed to. */
interface Mirror {
  readonly target: string
  /** Whether commits that only the target has are given up. */
  readonly isForced: boolean
}

/**
 * Reads a refspec, `[+]<source>:<destination>`; the source can only be what is pushed to the branch. Otherwise returns what is wrong. Flux also forces
 * without `+` if it forces the branch.
 */
export const mirrorOf = (refspec: string, branch: string, { isForced }: PushRules): Mirror | GitError => {
  const [, plus, source = '', target] = /^(\+?)([^:]+):([^:]+)$/.exec(refspec) ?? []
  if (!target) return new GitError('unsupported', `malformed refspec '${refspec}': it must be <source>:<destination>`)
  if (['HEAD', branch, branch.slice('refs/heads/'.length)].includes(source))
    return { target, isForced: plus === '+' || isForced }
  return new GitError('referenceNotFound', `src refspec ${source} does not match any`)
}
