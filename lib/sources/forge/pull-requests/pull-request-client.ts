import type { ConnectionOptions, Connections } from '../../../platform/http/connections.ts'
import { ForgeError } from '../forge.ts'
import { type JsonApi, jsonApi } from '../json-api.ts'
import { azureDevOpsPullRequests } from './azure-devops-pull-requests.ts'
import { bitbucketPullRequests } from './bitbucket-pull-requests.ts'
import { bitbucketServerPullRequests } from './bitbucket-server-pull-requests.ts'
import { giteaPullRequests, gitHubPullRequests } from './github-pull-requests.ts'
import { gitLabMergeRequests } from './gitlab-merge-requests.ts'
import type { PullRequestForge, PullRequests } from './pull-requests.ts'

/** Opens and updates pull requests in code forges. */
export interface PullRequestClient {
  /** Fails with ForgeError if the URL is none of this forge. */
  open(options: PullRequestOptions): PullRequestSession
}

export interface PullRequestSession extends PullRequests {
  close(): Promise<void>
}

export interface PullRequestOptions extends ConnectionOptions {
  readonly forge: PullRequestForge
  /** Of the repository in git, over http(s) or SSH. */
  readonly url: URL
  /** Value of the Authorization header for git over http(s): most forges accept its token for their API. */
  readonly authorization: string
  readonly signal: AbortSignal
}

/**
 * A client for all forges. Each session has connections of its own, and uses the authorization in the header that the
 * forge expects.
 */
export const pullRequestClient = (connections: Connections): PullRequestClient => ({
  open: ({ forge, url, authorization, signal, tls, proxy }) => {
    const opened = connections.open({ ...(tls && { tls }), ...(proxy && { proxy }) })
    try {
      const headers = { authorization: headerOf[forge](authorization), ...headersOf[forge] }
      const api = jsonApi({ agent: opened.agent, signal, headers })
      return { ...forges[forge](pageAddress(url), api), close: opened.close }
    } catch (error) {
      void opened.close()
      throw error
    }
  },
})

const forges: Readonly<Record<PullRequestForge, (url: URL, api: JsonApi) => PullRequests>> = {
  github: gitHubPullRequests,
  gitlab: gitLabMergeRequests,
  gitea: giteaPullRequests,
  bitbucket: bitbucketPullRequests,
  bitbucketserver: bitbucketServerPullRequests,
  azuredevops: azureDevOpsPullRequests,
}

const headersOf: Readonly<Partial<Record<PullRequestForge, Readonly<Record<string, string>>>>> = {
  github: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
}

const asIs = (authorization: string): string => authorization
const asBearer = (authorization: string): string => `Bearer ${tokenIn(authorization)}`

const headerOf: Readonly<Record<PullRequestForge, (authorization: string) => string>> = {
  github: asBearer,
  gitlab: asBearer,
  gitea: authorization => `token ${tokenIn(authorization)}`,
  bitbucket: asIs,
  bitbucketserver: asIs,
  azuredevops: asIs,
}

/** The bearer token, or the password in its place. */
const tokenIn = (authorization: string): string => {
  const [, scheme, value = ''] = /^(Basic|Bearer) (.*)$/.exec(authorization) ?? []
  if (scheme === 'Bearer') return value
  const text = Buffer.from(value, 'base64').toString('utf8')
  const password = text.slice(text.indexOf(':') + 1)
  if (!password) throw new ForgeError('the credentials have no token for the API of the forge')
  return password
}

/** Forges serve their pages and API over https on the host that serves SSH. */
const pageAddress = (url: URL): URL =>
  url.protocol === 'ssh:' ? new URL(`https://${url.hostname}${url.pathname}`) : url
