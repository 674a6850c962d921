import type { AwsIdentity } from '../../platform/cloud/aws/credentials.ts'
import { awsJsonCall } from '../../platform/cloud/aws/json-call.ts'
import { endpointOf } from '../../platform/cloud/aws/regions.ts'
import type { CloudPorts, Environment } from '../../platform/cloud/cloud-ports.ts'
import type { JsonResponse } from '../../platform/cloud/send-request.ts'
import { codeCommitLogin, codeCommitRegion } from '../git/code-commit.ts'
import type { Tag } from '../git/list-tags.ts'
import { type ChangeRequest, type Forge, ForgeError, type GitRef } from './forge.ts'

export interface CodeCommitPorts extends CloudPorts {
  readonly identity: AwsIdentity
  /** May override the endpoints of AWS services. */
  readonly environment?: Environment | undefined
  /** Lists tags over git, with the value of an Authorization header. */
  readonly tagsOf: (url: URL, authorization: string) => Promise<readonly Tag[]>
  readonly signal: AbortSignal
}

type Operation = 'ListBranches' | 'GetBranch' | 'ListPullRequests' | 'GetPullRequest'

interface PullRequest {
  readonly pullRequestId: string
  readonly title: string
  readonly authorArn?: string
  readonly pullRequestTargets?: readonly {
    readonly repositoryName?: string
    /** `refs/heads/<name>` */
    readonly sourceReference?: string
    readonly sourceCommit?: string
  }[]
}

/**
 * AWS CodeCommit's API; the URL is that of a repository for git over https. The API has no tags: they are listed over
 * git.
 */
export const codeCommit = (url: URL, ports: CodeCommitPorts): Forge => {
  const { identity, environment, tagsOf, signal, clock } = ports
  const region = codeCommitRegion(url)
  const [, repositoryName] = /^\/v1\/repos\/([\w.-]+)\/?$/.exec(url.pathname) ?? []
  if (!repositoryName)
    throw new ForgeError(`invalid URL '${url.origin}${url.pathname}': it must have the form /v1/repos/<repository>`)

  const request = async (operation: Operation, body: Readonly<Record<string, unknown>>): Promise<JsonResponse> =>
    awsJsonCall(ports, {
      endpoint: endpointOf('codecommit', region, environment),
      ...{ service: 'codecommit', region, target: `CodeCommit_20150413.${operation}`, body, signal },
      credentials: await identity(signal),
    })

  /** The strings in a paged list. */
  async function* all(operation: Operation, list: string, body: Readonly<Record<string, unknown>>) {
    for (let nextToken: unknown; ; ) {
      const response = await request(operation, { ...body, ...(nextToken !== undefined && { nextToken }) })
      yield* response[list] as readonly string[]
      nextToken = response.nextToken
      if (typeof nextToken !== 'string' || nextToken === '') return
    }
  }

  return {
    async *branches(isWanted = () => true): AsyncGenerator<GitRef> {
      for await (const branchName of all('ListBranches', 'branches', { repositoryName })) {
        if (!isWanted(branchName)) continue
        const { branch } = await request('GetBranch', { repositoryName, branchName })
        yield { name: branchName, sha: (branch as { readonly commitId: string }).commitId }
      }
    },

    async *tags() {
      const { username, password } = codeCommitLogin(url, await identity(signal), clock.now())
      yield* await tagsOf(url, `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`)
    },

    async *changeRequests() {
      const open = { repositoryName, pullRequestStatus: 'OPEN' }
      for await (const pullRequestId of all('ListPullRequests', 'pullRequestIds', open)) {
        const { pullRequest } = await request('GetPullRequest', { pullRequestId })
        yield changeRequestOf(pullRequest as PullRequest, repositoryName)
      }
    },
  }
}

const changeRequestOf = (
  { pullRequestId, title, authorArn = '', pullRequestTargets = [] }: PullRequest,
  repository: string,
): ChangeRequest => {
  const target = pullRequestTargets.find(({ repositoryName }) => repositoryName === repository)
  return {
    id: pullRequestId,
    sha: target?.sourceCommit ?? '',
    branch: (target?.sourceReference ?? '').replace(/^refs\/heads\//, ''),
    // `arn:aws:iam::111122223333:user/ops/jorge`, `arn:aws:sts::111122223333:assumed-role/Developer/jorge`
    author: authorArn.split('/').at(-1)!,
    title,
    labels: [],
  }
}
