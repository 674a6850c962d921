/** The contents of one repository in a code forge. Lists are fetched page by page, as they are consumed. */
export interface Forge {
  /** `isWanted` may save requests: some forges need one per branch. */
  branches(isWanted?: (name: string) => boolean): AsyncIterable<GitRef>
  tags(): AsyncIterable<GitRef>
  /** Open pull or merge requests, newest first. */
  changeRequests(): AsyncIterable<ChangeRequest>
  /** Deployment environments; absent if the forge has none. */
  environments?(): AsyncIterable<Environment>
}

export interface GitRef {
  readonly name: string
  /** Id of the commit. */
  readonly sha: string
}

export interface ChangeRequest {
  readonly id: string
  readonly sha: string
  /** The source branch. */
  readonly branch: string
  /** User name. */
  readonly author: string
  readonly title: string
  readonly labels: readonly string[]
}

export interface Environment {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly sha: string
  readonly branch: string
  /** User name of the latest deployer. */
  readonly author: string
}

export type ForgeProvider = 'GitHub' | 'GitLab' | 'Gitea' | 'AzureDevOps' | 'AWSCodeCommit'

/** A forge did not respond, or sent an error. The message names the URL, never a credential. */
export class ForgeError extends Error {
  /** HTTP status, if there was a response. */
  readonly status?: number
  constructor(message: string, options: { readonly status?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'ForgeError'
    if (options.status !== undefined) this.status = options.status
  }
}
