import type { ChangeRequest } from './forge.ts'

/** Pull requests in GitHub's format, which Gitea shares. */
export interface PullRequest {
  readonly number: number
  readonly title: string
  readonly user?: { readonly login?: string }
  readonly head: { readonly ref: string; readonly sha: string }
  readonly labels?: readonly { readonly name: string }[] | null
}

/** A pull request as GitHub and Gitea return it, for the inputs of ResourceSets. */
export const toChangeRequest = ({ number, title, user, head, labels }: PullRequest): ChangeRequest => ({
  id: String(number),
  sha: head.sha,
  branch: head.ref,
  author: user?.login ?? '',
  title,
  labels: (labels ?? []).map(label => label.name),
})
