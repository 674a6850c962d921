/** What a code forge tells of one repository. Lists are read page by page, as far as they are asked for. */
export interface Forge {
  /** Those that are not wanted may be left out: some forges are asked for each of them. */
  branches(isWanted?: (name: string) => boolean): AsyncIterable<GitRef>
  tags(): AsyncIterable<GitRef>
  /** Open pull or merge requests, the newest first. */
  changeRequests(): AsyncIterable<ChangeRequest>
  /** Environments that something is deployed to; only where the forge knows such. */
  environments?(): AsyncIterable<Environment>
}

export interface GitRef {
  readonly name: string
  /** The commit. */
  readonly sha: string
}

export interface ChangeRequest {
  readonly id: string
  readonly sha: string
  /** The branch that is to be merged. */
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
  /** User name of whoever deployed last. */
  readonly author: string
}

export type ForgeProvider = 'GitHub' | 'GitLab' | 'Gitea' | 'AzureDevOps' | 'AWSCodeCommit'

/** A forge did not answer, or not as it should. The message names the address, never a credential. */
export class ForgeError extends Error {
  /** HTTP status, when there was an answer. */
  readonly status?: number
  constructor(message: string, options: { readonly status?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'ForgeError'
    if (options.status !== undefined) this.status = options.status
  }
}
