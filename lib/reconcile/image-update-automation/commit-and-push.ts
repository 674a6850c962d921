import { commitMessage, type FileChanges, RemovedTemplateField } from '../../engines/image-policy/commit-message.ts'
import type { FunctionMap } from '../../engines/template/values/value.ts'
import type { ImageUpdateAutomation } from '../../foundations/kinds/image-update-automation.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { namespaceOf } from '../../hub/references/references.ts'
import type { Checkout, GitSession } from '../../sources/git/git-client.ts'
import { GitError } from '../../sources/git/git-error.ts'
import { formatOf } from '../../sources/git/git-object.ts'
import { newObjects } from '../../sources/git/push/new-objects.ts'
import { identityOf, writeCommit } from '../../sources/git/push/write-commit.ts'
import { isMistake } from '../runtime/halt.ts'
import { failed, stalled } from './halts.ts'
import type { AutomationSource } from './open-source.ts'
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
  const { author } = automation.spec.git!.commit
  const message = messageOf(automation, { changes: updated.changes, functions: options.functions })
  const objects = newObjects(formatOf(checkout.commit.id))
  const sign = source.sign && ((payload: Uint8Array) => source.sign!(payload).catch(updateFailed))
  const pusher = { name: author.name ?? '', email: author.email }
  const commit = objects.add({
    type: 'commit',
    content: await writeCommit(
      {
        tree: checkout.change(updated.files, objects),
        parent: checkout.commit.id,
        author: pusher,
        at: now,
        message,
      },
      objects.format,
      sign,
    ),
  })
  const { refspec, options: pushOptions = {} } = automation.spec.git?.push ?? {}
  const signer = sign && { sign, pusher: identityOf(pusher), now }
  const request = { objects, signer, options: Object.entries(pushOptions).map(([name, value]) => `${name}=${value}`) }
  const name = branchReference(source.pushBranch)
  const references = [name]
  try {
    await (await session.receiver()).push({ ...request, updates: [{ name, from: branchHead, to: commit }] })
    if (refspec) {
      const target = targetOf(refspec, ['HEAD', name, source.pushBranch])
      const receiver = await session.receiver()
      const from = receiver.references.get(target)
      if (from !== commit) await receiver.push({ ...request, updates: [{ name: target, from, to: commit }] })
      references.push(target)
    }
  } catch (error) {
    if (!(error instanceof GitError) || error.code === 'conflict') throw error
    return updateFailed(new Error(`failed to push to remote: ${error.message}`, { cause: error }))
  }
  return { commit, branch: source.pushBranch, refspec, message, references }
}

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

/** The destination of a refspec, `[+]<source>:<destination>`; the source can only be what was just pushed. */
const targetOf = (refspec: string, sources: readonly string[]): string => {
  const [, source = '', target] = /^\+?([^:]+):([^:]+)$/.exec(refspec) ?? []
  if (!target) throw new GitError('unsupported', `malformed refspec '${refspec}': it must be <source>:<destination>`)
  if (!sources.includes(source)) throw new GitError('referenceNotFound', `src refspec ${source} does not match any`)
  return target
}
