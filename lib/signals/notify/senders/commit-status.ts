import { commitHash, describeReason, isFailure, isProgress } from '../notification.ts'
import type { Send } from './sender.ts'
import { type CommitStatusType, setCommitStatus } from './set-commit-status.ts'

/** Sets the status of a commit to the result of the reconciliation. Only Gitea gets a pending status, as in Flux. */
const sender =
  (type: CommitStatusType): Send =>
  async ({ notification, access, commitStatus: context, http }) => {
    if (type !== 'gitea' && isProgress(notification)) return
    const { kind, name } = notification.involvedObject
    const { summary } = notification.metadata ?? {}
    const settled = isFailure(notification) ? 'failure' : 'success'
    const status = {
      ...{ commit: commitHash(notification), context, description: describeReason(notification) },
      name: `${kind}/${name}`.toLowerCase(),
      state: isProgress(notification) ? 'pending' : settled,
      genre: summary === undefined ? 'fluxcd' : `fluxcd:${summary}`,
    } as const
    await setCommitStatus[type](status, access, http)
  }

export const commitStatusSenders = {
  github: sender('github'),
  gitlab: sender('gitlab'),
  gitea: sender('gitea'),
  bitbucket: sender('bitbucket'),
  bitbucketserver: sender('bitbucketserver'),
  azuredevops: sender('azuredevops'),
}
