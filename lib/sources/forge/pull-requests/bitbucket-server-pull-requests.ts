import { ForgeError } from '../forge.ts'
import type { JsonApi } from '../json-api.ts'
import { pages, withQuery } from '../pages.ts'
import type { OpenPullRequest, PullRequests } from './pull-requests.ts'

interface PullRequest {
  readonly id: number
  /** Counts updates. */
  readonly version: number
  readonly title: string
  readonly description?: string
  readonly toRef: { readonly id: string }
  readonly links: { readonly self: readonly { readonly href: string }[] }
}

interface Page {
  readonly values?: readonly PullRequest[]
  readonly isLastPage?: boolean
  readonly nextPageStart?: number | null
}

/** Bitbucket Server's and Data Center's REST API; the URL is that of a repository, `https://host/scm/<project>/<name>.git`. */
export const bitbucketServerPullRequests = (url: URL, api: JsonApi): PullRequests => {
  const [, context = '', project, name] = /^(.*?)(?:\/scm)?\/([^/]+)\/([^/]+?)(?:\.git)?\/?$/.exec(url.pathname) ?? []
  if (!project || !name) {
    const form = 'it must have the form <context>/scm/<project>/<repository>'
    throw new ForgeError(`invalid URL '${url.origin}${url.pathname}': ${form}`)
  }
  const list = `${url.origin}${context}/rest/api/latest/projects/${project}/repos/${name}/pull-requests`
  return {
    maxBodyLength: 30_000,
    find: async ({ from, to }) => {
      const query = { state: 'OPEN', direction: 'OUTGOING', at: `refs/heads/${from}`, limit: '100' }
      const listed = pages<PullRequest>(
        api,
        withQuery(list, query),
        body => (body as Page).values,
        ({ body }, page) => {
          const { isLastPage, nextPageStart } = body as Page
          return isLastPage || nextPageStart == null ? undefined : withQuery(page, { start: String(nextPageStart) })
        },
      )
      for await (const request of listed) if (request.toRef.id === `refs/heads/${to}`) return openPullRequest(request)
      return undefined
    },
    create: async ({ from, to }, { title, body: description }) => {
      const [fromRef, toRef] = [from, to].map(branch => ({ id: `refs/heads/${branch}` }))
      const { body } = await api.post(new URL(list), { title, description, fromRef, toRef })
      return openPullRequest(body as PullRequest)
    },
    update: async ({ id, version }, { title, body: description }) => {
      await api.put(new URL(`${list}/${id}`), { version, title, description })
    },
  }
}

const openPullRequest = ({ id, version, title, description = '', links }: PullRequest): OpenPullRequest => ({
  id: String(id),
  version,
  url: links.self[0]?.href ?? '',
  title,
  body: description,
})
