import type { ChangeRequest, Environment, Forge, GitRef } from './forge.ts'
import type { JsonApi, JsonApiResponse } from './json-api.ts'
import { mapAsync, nextByLink, pages, withQuery } from './pages.ts'
import { repositoryPath } from './repository-path.ts'

interface Ref {
  readonly name: string
  readonly commit: { readonly id: string }
}
interface MergeRequest {
  readonly iid: number
  readonly sha: string
  readonly source_branch: string
  readonly title: string
  readonly author?: { readonly username?: string }
  readonly labels?: readonly string[]
}
interface KnownEnvironment {
  readonly id: number
  readonly name: string
  readonly slug: string
  /** Only in the details of an environment. */
  readonly last_deployment?: {
    readonly ref?: string
    readonly sha?: string
    readonly user?: { readonly username?: string }
  } | null
}

/** GitLab's REST API, version 4. */
export const gitLab = (url: URL, api: JsonApi): Forge => {
  const project = `${url.origin}/api/v4/projects/${encodeURIComponent(repositoryPath(url).join('/'))}`
  const list = <T>(path: string, parameters: Readonly<Record<string, string>> = {}) =>
    pages<T>(api, withQuery(`${project}/${path}`, { ...parameters, per_page: '100' }), body => body, next)
  const refOf = ({ name, commit }: Ref): GitRef => ({ name, sha: commit.id })
  return {
    branches: () => mapAsync(list<Ref>('repository/branches'), refOf),
    tags: () => mapAsync(list<Ref>('repository/tags'), refOf),
    changeRequests: () => mapAsync(list<MergeRequest>('merge_requests', { state: 'opened' }), changeRequestOf),
    async *environments() {
      for await (const { id } of list<KnownEnvironment>('environments', { states: 'available' })) {
        const { body } = await api.get(new URL(`${project}/environments/${id}`))
        const deployed = environmentOf(body as KnownEnvironment)
        if (deployed) yield deployed
      }
    },
  }
}

/** Uses the Link header, or if a proxy removed it, the number of the next page. */
const next = (response: JsonApiResponse, url: URL): URL | undefined => {
  const page = response.header('x-next-page')
  return nextByLink(response, url) ?? (page ? withQuery(url, { page }) : undefined)
}

const changeRequestOf = ({ iid, sha, source_branch, title, author, labels = [] }: MergeRequest): ChangeRequest => ({
  id: String(iid),
  sha,
  branch: source_branch,
  author: author?.username ?? '',
  title,
  labels,
})

const environmentOf = ({ id, name, slug, last_deployment }: KnownEnvironment): Environment | undefined => {
  if (!last_deployment?.sha) return undefined
  const { sha, ref = '', user } = last_deployment
  return { id: String(id), name, slug, sha, branch: ref, author: user?.username ?? '' }
}
