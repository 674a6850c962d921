/** Pull requests, or merge requests, of one repository in a code forge. Its methods fail with ForgeError. */
export interface PullRequests {
  /** Maximum length of a description. */
  readonly maxBodyLength: number
  /** The open one from a branch to another. */
  find(branches: Branches): Promise<OpenPullRequest | undefined>
  create(branches: Branches, content: PullRequestContent): Promise<OpenPullRequest>
  update(request: OpenPullRequest, content: PullRequestContent): Promise<void>
}

/** Names of branches, without `refs/heads/`. */
export interface Branches {
  readonly from: string
  readonly to: string
}

export interface PullRequestContent {
  readonly title: string
  /** Markdown. */
  readonly body: string
}

export interface OpenPullRequest extends PullRequestContent {
  readonly id: string
  /** Of its page. */
  readonly url: string
  /** What an update must name, where a forge checks for updates in between. */
  readonly version?: number
}

/** Like the types of Providers in Flux. */
export const pullRequestForges = ['github', 'gitlab', 'gitea', 'bitbucket', 'bitbucketserver', 'azuredevops'] as const
export type PullRequestForge = (typeof pullRequestForges)[number]
