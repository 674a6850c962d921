import { changeTable } from '../../engines/image-policy/change-table.ts'
import type { FileChanges } from '../../engines/image-policy/commit-message.ts'
import type { ImageUpdateAutomation } from '../../foundations/kinds/image-update-automation.ts'
import { namespaceOf } from '../../hub/references/references.ts'
import { ForgeError } from '../../sources/forge/forge.ts'
import type { PullRequestClient } from '../../sources/forge/pull-requests/pull-request-client.ts'
import type {
  Branches,
  OpenPullRequest,
  PullRequestContent,
  PullRequests,
} from '../../sources/forge/pull-requests/pull-requests.ts'
import { failed } from './halts.ts'
import type { AutomationSource } from './open-source.ts'

export interface Proposed {
  readonly what: 'opened' | 'updated' | 'found'
  /** Of the page of the pull request. */
  readonly url: string
}

interface ProposalInput {
  readonly source: AutomationSource
  /** Of the commit: its first line is the title. */
  readonly message: string
  readonly changes: FileChanges
  readonly signal: AbortSignal
}

/** Opens a pull request for the push branch, or updates the open one. Halts if the forge refuses. */
export const proposeChanges = async (
  automation: ImageUpdateAutomation,
  client: PullRequestClient,
  { source, message, changes, signal }: ProposalInput,
): Promise<Proposed> => {
  const { base, ...options } = source.proposal!
  const branches = { from: source.pushBranch, to: base }
  try {
    const session = client.open({ ...options, signal })
    try {
      return await openOrUpdate(session, branches, contentOf(automation, message, changes, session.maxBodyLength))
    } finally {
      await session.close()
    }
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error
    throw failed('GitOperationFailed', `failed to open a pull request: ${error.message}`, error)
  }
}

const openOrUpdate = async (
  forge: PullRequests,
  branches: Branches,
  content: PullRequestContent,
): Promise<Proposed> => {
  const update = async (open: OpenPullRequest): Promise<Proposed> => {
    const { url, title, body } = open
    // Some forges end lines as in HTTP.
    if (title === content.title && body.replaceAll('\r\n', '\n').trim() === content.body) return { what: 'found', url }
    await forge.update(open, content)
    return { what: 'updated', url }
  }
  const open = await forge.find(branches)
  if (open) return update(open)
  try {
    const { url } = await forge.create(branches, content)
    return { what: 'opened', url }
  } catch (error) {
    // The response to an earlier request may have been lost.
    const found = await forge.find(branches)
    if (!found) throw error
    return update(found)
  }
}

const maxTitleLength = 250

const contentOf = (
  automation: ImageUpdateAutomation,
  message: string,
  changes: FileChanges,
  maxLength: number,
): PullRequestContent => {
  const [title = '', ...rest] = message.trim().split('\n')
  const origin = `<!-- keelson: ImageUpdateAutomation ${namespaceOf(automation)}/${automation.metadata.name} -->`
  const text = rest
    .join('\n')
    .trim()
    .slice(0, maxLength / 2)
  const table = changeTable(changes, maxLength - text.length - origin.length - 4)
  return {
    title: title.slice(0, maxTitleLength),
    body: [text, table, origin].filter(Boolean).join('\n\n'),
  }
}
