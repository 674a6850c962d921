import { gitHubApiAddress } from '../github.ts'
import type { JsonApi } from '../json-api.ts'
import { pages, withQuery } from '../pages.ts'
import { repositoryPath } from '../repository-path.ts'
import type { OpenPullRequest, PullRequests } from './pull-requests.ts'

/** In GitHub's format, which Gitea shares. */
interface PullRequest {
  readonly number: number
  readonly html_url: string
  readonly title: string
  readonly body: string | null
  readonly head: { readonly ref: string; readonly repo?: { readonly full_name?: string } | null }
  readonly base: { readonly ref: string }
}

/** GitHub's REST API. The list is filtered by the forge, as it may be long. */
export const gitHubPullRequests = (url: URL, api: JsonApi): PullRequests => {
  const [owner = '', name = ''] = repositoryPath(url, { exactly: 2 })
  return ofGitHubKind(api, `${gitHubApiAddress(url)}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`, {
    fullName: `${owner}/${name}`,
    query: ({ from, to }) => ({ head: `${owner}:${from}`, base: to, per_page: '100' }),
  })
}

/** Gitea's and Forgejo's API, version 1: it can't filter by branch. */
export const giteaPullRequests = (url: URL, api: JsonApi): PullRequests => {
  const [owner = '', name = ''] = repositoryPath(url, { exactly: 2 })
  return ofGitHubKind(api, `${url.origin}/api/v1/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`, {
    fullName: `${owner}/${name}`,
    query: () => ({ limit: '50' }),
  })
}

interface Dialect {
  readonly fullName: string
  readonly query: (branches: { readonly from: string; readonly to: string }) => Readonly<Record<string, string>>
}

const ofGitHubKind = (api: JsonApi, repository: string, { fullName, query }: Dialect): PullRequests => ({
  maxBodyLength: 30_000,
  find: async branches => {
    const { from, to } = branches
    const listed = pages<PullRequest>(
      api,
      withQuery(`${repository}/pulls`, { state: 'open', ...query(branches) }),
      body => body,
    )
    for await (const request of listed) {
      const { head, base } = request
      const isOwn = (head.repo?.full_name ?? fullName).toLowerCase() === fullName.toLowerCase()
      if (isOwn && head.ref === from && base.ref === to) return openPullRequest(request)
    }
    return undefined
  },
  create: async ({ from, to }, content) => {
    const { body } = await api.post(new URL(`${repository}/pulls`), { ...content, head: from, base: to })
    return openPullRequest(body as PullRequest)
  },
  update: async ({ id }, content) => {
    await api.patch(new URL(`${repository}/pulls/${id}`), content)
  },
})

const openPullRequest = ({ number, html_url, title, body }: PullRequest): OpenPullRequest => ({
  id: String(number),
  url: html_url,
  title,
  body: body ?? '',
})
