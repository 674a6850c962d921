import type { JsonApi } from '../json-api.ts'
import { withQuery } from '../pages.ts'
import { repositoryPath } from '../repository-path.ts'
import type { OpenPullRequest, PullRequests } from './pull-requests.ts'

interface PullRequest {
  readonly id: number
  readonly title: string
  readonly description?: string
  readonly links: { readonly html: { readonly href: string } }
}

/** Bitbucket Cloud's API, version 2.0. Its branch is closed with the merge. */
export const bitbucketPullRequests = (url: URL, api: JsonApi): PullRequests => {
  const path = repositoryPath(url, { exactly: 2 }).map(encodeURIComponent).join('/')
  const origin = url.origin === 'https://bitbucket.org' ? 'https://api.bitbucket.org' : url.origin
  const list = `${origin}/2.0/repositories/${path}/pullrequests`
  return {
    maxBodyLength: 30_000,
    find: async ({ from, to }) => {
      const own = `source.repository.full_name=${JSON.stringify(repositoryPath(url).join('/'))}`
      const q = `state="OPEN" AND source.branch.name=${JSON.stringify(from)} AND destination.branch.name=${JSON.stringify(to)} AND ${own}`
      const { body } = await api.get(withQuery(list, { q }))
      const [found] = (body as { readonly values?: readonly PullRequest[] }).values ?? []
      return found && openPullRequest(found)
    },
    create: async ({ from, to }, { title, body: description }) => {
      const [source, destination] = [from, to].map(name => ({ branch: { name } }))
      const request = { title, description, source, destination, close_source_branch: true }
      const { body } = await api.post(new URL(list), request)
      return openPullRequest(body as PullRequest)
    },
    update: async ({ id }, { title, body: description }) => {
      await api.put(new URL(`${list}/${id}`), { title, description })
    },
  }
}

const openPullRequest = ({ id, title, description = '', links }: PullRequest): OpenPullRequest => ({
  id: String(id),
  url: links.html.href,
  title,
  body: description,
})
