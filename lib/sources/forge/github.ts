import type { Forge, GitRef } from './forge.ts'
import type { JsonApi } from './json-api.ts'
import { mapAsync, pages, withQuery } from './pages.ts'
import { type PullRequest, toChangeRequest } from './pull-request.ts'
import { repositoryPath } from './repository-path.ts'

interface Ref {
  readonly name: string
  readonly commit: { readonly sha: string }
}

/** The base URL of the API: github.com has a separate host for it, GitHub Enterprise a path. */
export const gitHubApiAddress = (url: URL): string =>
  url.hostname === 'github.com' ? 'https://api.github.com' : `${url.origin}/api/v3`

/** GitHub's REST API. */
export const gitHub = (url: URL, api: JsonApi): Forge => {
  const [owner = '', name = ''] = repositoryPath(url, { exactly: 2 })
  const repository = `${gitHubApiAddress(url)}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  const list = <T>(path: string, parameters: Readonly<Record<string, string>> = {}) =>
    pages<T>(api, withQuery(`${repository}/${path}`, { ...parameters, per_page: '100' }), body => body)
  return {
    branches: () => mapAsync(list<Ref>('branches'), refOf),
    tags: () => mapAsync(list<Ref>('tags'), refOf),
    changeRequests: () => mapAsync(list<PullRequest>('pulls', { state: 'open' }), toChangeRequest),
  }
}

const refOf = ({ name, commit }: Ref): GitRef => ({ name, sha: commit.sha })
