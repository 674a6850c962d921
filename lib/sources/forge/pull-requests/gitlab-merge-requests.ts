import type { JsonApi } from '../json-api.ts'
import { withQuery } from '../pages.ts'
import { repositoryPath } from '../repository-path.ts'
import type { OpenPullRequest, PullRequests } from './pull-requests.ts'

interface MergeRequest {
  readonly iid: number
  readonly web_url: string
  readonly title: string
  readonly description: string | null
  readonly source_project_id?: number
  readonly target_project_id?: number
}

/** GitLab's REST API, version 4. The source branch is removed with the merge. */
export const gitLabMergeRequests = (url: URL, api: JsonApi): PullRequests => {
  const list = `${url.origin}/api/v4/projects/${encodeURIComponent(repositoryPath(url).join('/'))}/merge_requests`
  return {
    maxBodyLength: 30_000,
    find: async ({ from, to }) => {
      const query = { state: 'opened', source_branch: from, target_branch: to, per_page: '100' }
      const { body } = await api.get(withQuery(list, query))
      const found = (body as readonly MergeRequest[]).find(
        ({ source_project_id, target_project_id }) => source_project_id === target_project_id,
      )
      return found && openPullRequest(found)
    },
    create: async ({ from, to }, { title, body: description }) => {
      const branches = { source_branch: from, target_branch: to, remove_source_branch: true }
      const { body } = await api.post(new URL(list), { ...branches, title, description })
      return openPullRequest(body as MergeRequest)
    },
    update: async ({ id }, { title, body: description }) => {
      await api.put(new URL(`${list}/${id}`), { title, description })
    },
  }
}

const openPullRequest = ({ iid, web_url, title, description }: MergeRequest): OpenPullRequest => ({
  id: String(iid),
  url: web_url,
  title,
  body: description ?? '',
})
