import type { ChangeRequest } from './forge.ts'

/** As GitHub's API has them, and Gitea's after it. */
export interface PullRequest {
  readonly number: number
  readonly title: string
  readonly user?: { readonly login?: string }
  readonly head: { readonly ref: string; readonly sha: string }
  readonly labels?: readonly { readonly name: string }[] | null
}

export const changeRequestOf = ({ number, title, user, head, labels }: PullRequest): ChangeRequest => ({
  id: String(number),
  sha: head.sha,
  branch: head.ref,
  author: user?.login ?? '',
  title,
  labels: (labels ?? []).map(label => label.name),
})
