import type { Forge, GitRef } from './forge.ts'
import type { JsonApi } from './json-api.ts'
import { mapAsync, pages, withQuery } from './pages.ts'
import { type PullRequest, toChangeRequest } from './pull-request.ts'
import { repositoryPath } from './repository-path.ts'

interface Branch {
  readonly name: string
  readonly commit: { readonly id: string }
}
interface Tag {
  readonly name: string
  readonly commit: { readonly sha: string }
}

/** Gitea's and Forgejo's API, version 1. */
export const gitea = (url: URL, api: JsonApi): Forge => {
  const [owner = '', name = ''] = repositoryPath(url, { exactly: 2 })
  const repository = `${url.origin}/api/v1/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  const list = <T>(path: string, parameters: Readonly<Record<string, string>> = {}) =>
    pages<T>(api, withQuery(`${repository}/${path}`, { ...parameters, limit: '50' }), body => body)
  return {
    branches: () => mapAsync(list<Branch>('branches'), ({ name, commit }): GitRef => ({ name, sha: commit.id })),
    tags: () => mapAsync(list<Tag>('tags'), ({ name, commit }): GitRef => ({ name, sha: commit.sha })),
    changeRequests: () => mapAsync(list<PullRequest>('pulls', { state: 'open' }), toChangeRequest),
  }
}
