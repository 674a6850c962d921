import type { Forge, GitRef } from './forge.ts'
import type { JsonApi } from './json-api.ts'
import { mapped, pages, withQuery } from './pages.ts'
import { changeRequestOf, type PullRequest } from './pull-request.ts'
import { repositoryPath } from './repository-path.ts'

interface Ref {
  readonly name: string
  readonly commit: { readonly sha: string }
}

/** Where the API of a GitHub is: github.com has its own host for it, GitHub Enterprise a path. */
export const gitHubApiOf = (url: URL): string =>
  url.hostname === 'github.com' ? 'https://api.github.com' : `${url.origin}/api/v3`

/** GitHub's REST API. */
export const gitHub = (url: URL, api: JsonApi): Forge => {
  const [owner = '', name = ''] = repositoryPath(url, { exactly: 2 })
  const repository = `${gitHubApiOf(url)}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  const list = <T>(path: string, parameters: Readonly<Record<string, string>> = {}) =>
    pages<T>(api, withQuery(`${repository}/${path}`, { ...parameters, per_page: '100' }), body => body)
  return {
    branches: () => mapped(list<Ref>('branches'), refOf),
    tags: () => mapped(list<Ref>('tags'), refOf),
    changeRequests: () => mapped(list<PullRequest>('pulls', { state: 'open' }), changeRequestOf),
  }
}

const refOf = ({ name, commit }: Ref): GitRef => ({ name, sha: commit.sha })
