import { at, listAt, textAt } from '../../../foundations/kinds/json-path.ts'
import type { Http, ProviderRequest } from '../http.ts'
import type { ProviderAccess } from '../provider-access.ts'
import { githubApi, ownerAndName, parseGitAddress, requireToken } from './git-address.ts'
import { basic, bearer } from './sender.ts'
import {
  azureRepository,
  bitbucketApi,
  bitbucketLogin,
  bitbucketServerLogin,
  bitbucketServerRepository,
  type CommitStatusType,
} from './set-commit-status.ts'

/** What a forge allows in a comment on a pull request. */
export interface CommentForm {
  /** In characters. */
  readonly maxLength: number
  /** Whether it shows `<details>` as something to unfold. */
  readonly folds: boolean
}

export interface KeptComment {
  /** Of the pull request. */
  readonly number: string
  readonly text: string
  /** A part of the text, by which a comment of the same user is found if its id is not known. */
  readonly marker: string
  /** Of the comment, if it was written before. */
  readonly id?: string | undefined
}

/** The comments of one pull request in a forge, over its API. */
interface Comments {
  create(text: string): Promise<string>
  /** False if it no longer exists. */
  update(id: string, text: string): Promise<boolean>
  /** The first hundred, of the user whose credentials are used. */
  own(): Promise<readonly Comment[]>
}

interface Forge extends CommentForm {
  open(number: string, access: ProviderAccess, http: Http): Comments
}

interface Comment {
  readonly id: string
  readonly text: string
}

/** A number or a text, as a text. */
const idIn = (json: unknown, ...path: readonly string[]): string => String(at(json, ...path) ?? '')

/** The comments in a list whose author is the user. */
const ownIn = (
  list: readonly unknown[],
  {
    author,
    user,
    text,
  }: { readonly author: readonly string[]; readonly user: string; readonly text: readonly string[] },
): readonly Comment[] =>
  list
    .filter(comment => user !== '' && idIn(comment, ...author) === user && at(comment, 'deleted') !== true)
    .map(comment => ({ id: idIn(comment, 'id'), text: textAt(comment, ...text) }))

/** Requests with fixed headers; `json` is the body of the response. */
const api = (http: Http, headers: Readonly<Record<string, string>>) => {
  const send = (method: NonNullable<ProviderRequest['method']>, url: string, json?: unknown, accept: number[] = []) =>
    http({ method, url, headers, accept, ...(json !== undefined && { json }) })
  return {
    get: async (url: string): Promise<unknown> => (await send('GET', url)).json,
    post: async (url: string, json: unknown): Promise<unknown> => (await send('POST', url, json)).json,
    edit: async (method: 'PUT' | 'PATCH', url: string, json: unknown): Promise<boolean> =>
      (await send(method, url, json, [404])).status !== 404,
  }
}

const ofGitHubKind = (
  { get, post, edit }: ReturnType<typeof api>,
  base: string,
  access: ProviderAccess,
  number: string,
  query: string,
): Comments => {
  const repository = `${base}/repos/${ownerAndName(parseGitAddress(access)).join('/')}`
  const list = `${repository}/issues/${number}/comments`
  return {
    create: async body => idIn(await post(list, { body }), 'id'),
    update: (id, body) => edit('PATCH', `${repository}/issues/comments/${id}`, { body }),
    own: async () => {
      const user = textAt(await get(`${base}/user`), 'login')
      return ownIn(listAt(await get(`${list}?${query}`)), { author: ['user', 'login'], user, text: ['body'] })
    },
  }
}

const github: Forge = {
  maxLength: 65_000,
  folds: true,
  open: (number, access, http) => {
    const headers = { ...bearer(requireToken(access)), accept: 'application/vnd.github+json', 'user-agent': 'keelson' }
    return ofGitHubKind(api(http, headers), githubApi(parseGitAddress(access)), access, number, 'per_page=100')
  },
}

const gitea: Forge = {
  maxLength: 65_000,
  folds: true,
  open: (number, access, http) => {
    const base = `${parseGitAddress(access).origin}/api/v1`
    const requests = api(http, { authorization: `token ${requireToken(access)}` })
    return ofGitHubKind(requests, base, access, number, 'page=1&limit=100')
  },
}

const gitlab: Forge = {
  maxLength: 65_000,
  folds: true,
  open: (number, access, http) => {
    const { origin, path } = parseGitAddress(access)
    const { get, post, edit } = api(http, { 'private-token': requireToken(access) })
    const notes = `${origin}/api/v4/projects/${encodeURIComponent(path)}/merge_requests/${number}/notes`
    return {
      create: async body => idIn(await post(notes, { body }), 'id'),
      update: (id, body) => edit('PUT', `${notes}/${id}`, { body }),
      own: async () => {
        const user = textAt(await get(`${origin}/api/v4/user`), 'username')
        const all = listAt(await get(`${notes}?sort=asc&order_by=created_at&per_page=100`))
        return ownIn(all, { author: ['author', 'username'], user, text: ['body'] })
      },
    }
  },
}

const bitbucket: Forge = {
  maxLength: 30_000,
  folds: false,
  open: (number, access, http) => {
    const address = parseGitAddress(access)
    const base = bitbucketApi(address.origin)
    const { get, post, edit } = api(http, bitbucketLogin(access))
    const list = `${base}/2.0/repositories/${ownerAndName(address).join('/')}/pullrequests/${number}/comments`
    return {
      create: async raw => idIn(await post(list, { content: { raw } }), 'id'),
      update: (id, raw) => edit('PUT', `${list}/${id}`, { content: { raw } }),
      own: async () => {
        const user = textAt(await get(`${base}/2.0/user`), 'uuid')
        const all = listAt(await get(`${list}?pagelen=100`), 'values')
        return ownIn(all, { author: ['user', 'uuid'], user, text: ['content', 'raw'] })
      },
    }
  },
}

/** An update names the version of the comment. Its API does not say who the user of a token is: the Provider's `username` does. */
const bitbucketServer: Forge = {
  maxLength: 30_000,
  folds: false,
  open: (number, access, http) => {
    const request = `${bitbucketServerRepository(access)}/pull-requests/${number}`
    const headers = bitbucketServerLogin(access)
    const { get, post, edit } = api(http, headers)
    return {
      create: async text => idIn(await post(`${request}/comments`, { text }), 'id'),
      update: async (id, text) => {
        const url = `${request}/comments/${id}`
        const found = await http({ method: 'GET', url, headers, accept: [404] })
        return found.status !== 404 && edit('PUT', url, { text, version: at(found.json, 'version') })
      },
      own: async () => {
        const activities = listAt(await get(`${request}/activities?limit=100`), 'values')
        const all = activities.flatMap(activity => at(activity, 'comment') ?? [])
        return ownIn(all, { author: ['author', 'name'], user: access.username, text: ['text'] })
      },
    }
  },
}

/** Comments are in threads. A closed thread does not stop a merge where a policy wants all of them resolved. The id is `<thread>/<comment>`. */
const azureDevOps: Forge = {
  maxLength: 65_000,
  folds: true,
  open: (number, access, http) => {
    const threads = `${azureRepository(access)}/pullRequests/${number}/threads`
    const { get, post, edit } = api(http, basic('', requireToken(access)))
    const version = 'api-version=7.1'
    const { origin, path } = parseGitAddress(access)
    return {
      create: async content => {
        const comments = [{ parentCommentId: 0, content, commentType: 1 }]
        const made = await post(`${threads}?${version}`, { comments, status: 'closed' })
        return `${idIn(made, 'id')}/${idIn(listAt(made, 'comments')[0], 'id')}`
      },
      update: (id, content) => {
        const [thread, comment] = id.split('/')
        return edit('PATCH', `${threads}/${thread}/comments/${comment}?${version}`, { content })
      },
      own: async () => {
        const [organisation] = path.split('/')
        const caller = await get(`${origin}/${organisation}/_apis/connectionData`)
        const user = textAt(caller, 'authenticatedUser', 'id')
        return listAt(await get(`${threads}?${version}`), 'value').flatMap(thread =>
          ownIn(listAt(thread, 'comments'), { author: ['author', 'id'], user, text: ['content'] }).map(
            ({ id, text }) => ({ id: `${idIn(thread, 'id')}/${id}`, text }),
          ),
        )
      },
    }
  },
}

const forges: Readonly<Record<CommitStatusType, Forge>> = {
  github,
  gitea,
  gitlab,
  bitbucket,
  bitbucketserver: bitbucketServer,
  azuredevops: azureDevOps,
}

/** How comments of pull requests are listed, written and changed on a forge. */
export const commentFormOf = (type: CommitStatusType): CommentForm => forges[type]

/** Writes a comment on a pull request, in place of the one that was written before. Resolves to its id. Fails with NotDelivered. */
export const keepComment = async (
  type: CommitStatusType,
  { number, text, marker, id }: KeptComment,
  access: ProviderAccess,
  http: Http,
): Promise<string> => {
  const comments = forges[type].open(number, access, http)
  if (id !== undefined && (await comments.update(id, text))) return id
  const known = (await comments.own()).find(comment => comment.text.includes(marker))
  if (known && known.id !== id && (await comments.update(known.id, text))) return known.id
  return comments.create(text)
}
