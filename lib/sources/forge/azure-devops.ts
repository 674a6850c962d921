import type { ChangeRequest, Forge, GitRef } from './forge.ts'
import { ForgeError } from './forge.ts'
import type { JsonApi, JsonApiResponse } from './json-api.ts'
import { mapAsync, pages, withQuery } from './pages.ts'

interface Ref {
  /** `refs/heads/<name>`, `refs/tags/<name>`. */
  readonly name: string
  readonly objectId: string
  /** The commit of an annotated tag. */
  readonly peeledObjectId?: string
}
interface PullRequest {
  readonly pullRequestId: number
  readonly title: string
  readonly sourceRefName: string
  readonly lastMergeSourceCommit?: { readonly commitId?: string }
  readonly createdBy?: { readonly uniqueName?: string }
  readonly labels?: readonly { readonly name: string }[]
}

const version = { 'api-version': '7.1' }
const aPage = 100

/** Azure DevOps' REST API; the URL is that of a repository, `https://dev.azure.com/<org>/<project>/_git/<name>`. */
export const azureDevOps = (url: URL, api: JsonApi): Forge => {
  const [, project, name] = /^(\/.+)\/_git\/([^/]+)\/?$/.exec(url.pathname) ?? []
  if (!project || !name)
    throw new ForgeError(
      `invalid URL '${url.origin}${url.pathname}': it must have the form <organization>/<project>/_git/<repository>`,
    )
  const repository = `${url.origin}${project}/_apis/git/repositories/${name}`
  const refs = (filter: string) =>
    pages<Ref>(
      api,
      withQuery(`${repository}/refs`, { ...version, filter, peelTags: 'true', $top: String(aPage) }),
      listIn,
      nextByToken,
    )
  return {
    branches: () => mapAsync(refs('heads/'), refOf),
    tags: () => mapAsync(refs('tags/'), refOf),
    changeRequests: () =>
      mapAsync(
        pages<PullRequest>(
          api,
          withQuery(`${repository}/pullrequests`, {
            ...version,
            'searchCriteria.status': 'active',
            $top: String(aPage),
            $skip: '0',
          }),
          listIn,
          nextBySkip,
        ),
        changeRequestOf,
      ),
  }
}

const listIn = (body: unknown): unknown => (body as { readonly value?: unknown } | null)?.value

const nextByToken = (response: JsonApiResponse, url: URL): URL | undefined => {
  const continuationToken = response.header('x-ms-continuationtoken')
  return continuationToken ? withQuery(url, { continuationToken }) : undefined
}

const nextBySkip = (response: JsonApiResponse, url: URL): URL | undefined => {
  const { length } = listIn(response.body) as readonly unknown[]
  const skipped = Number(url.searchParams.get('$skip'))
  return length < aPage ? undefined : withQuery(url, { $skip: String(skipped + length) })
}

const refOf = ({ name, objectId, peeledObjectId }: Ref): GitRef => ({
  name: name.replace(/^refs\/(heads|tags)\//, ''),
  sha: peeledObjectId ?? objectId,
})

const changeRequestOf = (request: PullRequest): ChangeRequest => ({
  id: String(request.pullRequestId),
  sha: request.lastMergeSourceCommit?.commitId ?? '',
  branch: request.sourceRefName.replace(/^refs\/heads\//, ''),
  author: request.createdBy?.uniqueName ?? '',
  title: request.title,
  labels: (request.labels ?? []).map(label => label.name),
})
