import { ForgeError } from '../forge.ts'
import type { JsonApi } from '../json-api.ts'
import { withQuery } from '../pages.ts'
import type { OpenPullRequest, PullRequests } from './pull-requests.ts'

interface PullRequest {
  readonly pullRequestId: number
  readonly title: string
  readonly description?: string
}

const version = { 'api-version': '7.1' }

/** Azure DevOps' REST API; the URL is that of a repository, `https://dev.azure.com/<org>/<project>/_git/<name>`, also for SSH (`/v3/<org>/...`). */
export const azureDevOpsPullRequests = (url: URL, api: JsonApi): PullRequests => {
  const [, project, name] =
    /^(\/.+)\/_git\/([^/]+)\/?$/.exec(url.pathname) ?? /^\/v3(\/[^/]+\/[^/]+)\/([^/]+)\/?$/.exec(url.pathname) ?? []
  if (!project || !name) {
    const form = 'it must have the form <organization>/<project>/_git/<repository>'
    throw new ForgeError(`invalid URL '${url.origin}${url.pathname}': ${form}`)
  }
  const origin = url.origin.replace('//ssh.dev.azure.com', '//dev.azure.com')
  const list = `${origin}${project}/_apis/git/repositories/${name}/pullrequests`
  const openPullRequest = ({ pullRequestId, title, description = '' }: PullRequest): OpenPullRequest => ({
    id: String(pullRequestId),
    url: `${origin}${project}/_git/${name}/pullrequest/${pullRequestId}`,
    title,
    body: description,
  })
  return {
    maxBodyLength: 4_000,
    find: async ({ from, to }) => {
      const { body } = await api.get(
        withQuery(list, {
          ...version,
          'searchCriteria.status': 'active',
          'searchCriteria.sourceRefName': `refs/heads/${from}`,
          'searchCriteria.targetRefName': `refs/heads/${to}`,
        }),
      )
      const [found] = (body as { readonly value?: readonly PullRequest[] }).value ?? []
      return found && openPullRequest(found)
    },
    create: async ({ from, to }, { title, body: description }) => {
      const [sourceRefName, targetRefName] = [from, to].map(branch => `refs/heads/${branch}`)
      const request = { title, description, sourceRefName, targetRefName }
      const { body } = await api.post(withQuery(list, version), request)
      return openPullRequest(body as PullRequest)
    },
    update: async ({ id }, { title, body: description }) => {
      await api.patch(withQuery(`${list}/${id}`, version), { title, description })
    },
  }
}
