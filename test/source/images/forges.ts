import { type JsonReply, type JsonRequest, jsonServer } from '../../bed/json-server.ts'

/** Pull requests of one repository, in a server that speaks the API of a forge as its documentation shows it. */
export interface ForgeServer {
  readonly origin: string
  readonly pulls: Pull[]
  readonly requests: readonly JsonRequest[]
  /** The next requests that change something get this response, once each. */
  readonly refusals: JsonReply[]
}

export interface Pull {
  readonly number: number
  readonly from: string
  readonly to: string
  title: string
  body: string
  state: 'open' | 'closed' | 'merged'
  version: number
}

type Body = Readonly<Record<string, unknown>>
type Input = Partial<Record<'title' | 'body' | 'from' | 'to', string>>

interface Dialect {
  readonly list: string
  readonly page: string
  readonly authorization: string
  /** How updates are requested. */
  readonly method: 'PUT' | 'PATCH'
  readonly filter: (query: URLSearchParams, pull: Pull) => boolean
  readonly listed: (pulls: readonly unknown[]) => unknown
  readonly shown: (pull: Pull, url: string) => unknown
  readonly read: (body: Body) => Input
}

const withoutPrefix = (ref: unknown): string => String(ref).replace('refs/heads/', '')
const asIs = (pulls: readonly unknown[]) => pulls
const likeGitHub = {
  page: '/org/app/pulls/',
  method: 'PATCH',
  listed: asIs,
  shown: ({ number, title, body, from, to }: Pull, html_url: string) => ({
    ...{ number, title, body, html_url, head: { ref: from, repo: { full_name: 'org/app' } } },
    base: { ref: to },
  }),
  read: ({ title, body, head, base }: Body) => ({ title, body, from: head, to: base }) as Input,
} as const
const basic = `Basic ${Buffer.from('bot:secret').toString('base64')}`

export const dialects: Readonly<Record<string, Dialect>> = {
  github: {
    ...likeGitHub,
    list: '/api/v3/repos/org/app/pulls',
    authorization: 'Bearer secret',
    filter: (query, { from, to, state }) =>
      query.get('head') === `org:${from}` && query.get('base') === to && query.get('state') === state,
  },
  gitea: {
    ...likeGitHub,
    list: '/api/v1/repos/org/app/pulls',
    authorization: 'token secret',
    filter: (query, { state }) => query.get('state') === state,
  },
  gitlab: {
    list: '/api/v4/projects/org%2Fapp/merge_requests',
    page: '/org/app/-/merge_requests/',
    authorization: 'Bearer secret',
    method: 'PUT',
    filter: (query, { from, to, state }) =>
      query.get('source_branch') === from && query.get('target_branch') === to && query.get('state') === `${state}ed`,
    listed: asIs,
    shown: ({ number: iid, title, body: description }, web_url) => ({
      ...{ iid, title, description, web_url, source_project_id: 1, target_project_id: 1 },
    }),
    read: ({ title, description: body, source_branch: from, target_branch: to }) =>
      ({ title, body, from, to }) as Input,
  },
  bitbucket: {
    list: '/2.0/repositories/org/app/pullrequests',
    page: '/org/app/pull-requests/',
    authorization: basic,
    method: 'PUT',
    filter: (query, { from, to, state }) =>
      state === 'open' &&
      query.get('q') ===
        `state="OPEN" AND source.branch.name="${from}" AND destination.branch.name="${to}" AND source.repository.full_name="org/app"`,
    listed: values => ({ values }),
    shown: ({ number: id, title, body: description }, href) => ({ id, title, description, links: { html: { href } } }),
    read: ({ title, description: body, source, destination }) => {
      const nameOf = (end: unknown) => (end as { branch?: { name?: string } } | undefined)?.branch?.name
      return { title, body, from: nameOf(source), to: nameOf(destination) } as Input
    },
  },
  bitbucketserver: {
    list: '/rest/api/latest/projects/org/repos/app/pull-requests',
    page: '/projects/org/repos/app/pull-requests/',
    authorization: basic,
    method: 'PUT',
    filter: (query, { from, state }) =>
      state === 'open' && query.get('at') === `refs/heads/${from}` && query.get('direction') === 'OUTGOING',
    listed: values => ({ values, isLastPage: true }),
    shown: ({ number: id, version, title, body: description, to }, href) => ({
      ...{ id, version, title, description, toRef: { id: `refs/heads/${to}` }, links: { self: [{ href }] } },
    }),
    read: ({ title, description: body, fromRef, toRef }) => {
      const nameOf = (ref: unknown) => withoutPrefix((ref as { id?: string } | undefined)?.id)
      return { title, body, from: nameOf(fromRef), to: nameOf(toRef) } as Input
    },
  },
  azuredevops: {
    list: '/org/shop/_apis/git/repositories/app/pullrequests',
    page: '/org/shop/_git/app/pullrequest/',
    authorization: basic,
    method: 'PATCH',
    filter: (query, { from, to, state }) =>
      state === 'open' &&
      query.get('searchCriteria.status') === 'active' &&
      query.get('searchCriteria.sourceRefName') === `refs/heads/${from}` &&
      query.get('searchCriteria.targetRefName') === `refs/heads/${to}`,
    listed: value => ({ value, count: value.length }),
    shown: ({ number: pullRequestId, title, body: description }) => ({ pullRequestId, title, description }),
    read: ({ title, description: body, sourceRefName, targetRefName }) =>
      ({ title, body, from: withoutPrefix(sourceRefName), to: withoutPrefix(targetRefName) }) as Input,
  },
}

/** Serves an API; requests for anything else fail with 404, and those without credentials with 401. */
export const forgeServer = async (forge: string): Promise<ForgeServer> => {
  const { list, page, authorization, method, filter, listed, shown, read } = dialects[forge]!
  const pulls: Pull[] = []
  const refusals: JsonReply[] = []
  const server = await jsonServer(request => {
    const { path, query, body } = request
    const shownAs = (pull: Pull) => shown(pull, `${server.url}${page}${pull.number}`)
    if (request.headers.authorization !== authorization) return { status: 401, json: { message: 'Unauthorized' } }
    if (path === list && request.method === 'GET')
      return { json: listed(pulls.filter(pull => filter(query, pull)).map(shownAs)) }
    const refusal = request.method === 'GET' ? undefined : refusals.shift()
    if (refusal) return refusal
    const input = body ? read(JSON.parse(body)) : {}
    if (path === list && request.method === 'POST') {
      const { from = '', to = '', title = '', body: text = '' } = input
      if (pulls.some(pull => pull.state === 'open' && pull.from === from && pull.to === to))
        return { status: 409, json: { message: 'it exists' } }
      const pull: Pull = { number: pulls.length + 1, from, to, title, body: text, state: 'open', version: 0 }
      pulls.push(pull)
      return { status: 201, json: shownAs(pull) }
    }
    const pull = pulls.find(({ number }) => path === `${list}/${number}`)
    if (!pull || request.method !== method) return undefined
    if (forge === 'bitbucketserver' && JSON.parse(body).version !== pull.version)
      return { status: 409, json: { errors: [{ message: 'out of date' }] } }
    Object.assign(pull, { title: input.title, body: input.body, version: pull.version + 1 })
    return { json: shownAs(pull) }
  })
  return { origin: server.url, pulls, requests: server.requests, refusals }
}
