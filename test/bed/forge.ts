import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TreeChange } from './fast-import.ts'
import { type GitRepo, startGitRepo } from './git-repo.ts'
import { type JsonReply, type JsonRequest, startJsonServer } from './json-server.ts'
import { endWithTest } from './teardown.ts'

/** Comments on pull requests and statuses of commits, in a server that speaks the API of a forge as its documentation shows it. */
export interface ForgeServer extends AsyncDisposable {
  readonly origin: string
  readonly comments: ForgeComment[]
  /** As they were sent, the newest last. */
  readonly statuses: { readonly commit: string; readonly sent: Readonly<Record<string, unknown>> }[]
  readonly requests: readonly JsonRequest[]
  /** The next requests that change something get this response, once each. */
  readonly refusals: JsonReply[]
}

export interface ForgeComment {
  readonly id: number
  readonly pull: string
  readonly author: string
  text: string
  version: number
}

export const forgeTypes = ['github', 'gitlab', 'gitea', 'bitbucket', 'bitbucketserver', 'azuredevops'] as const
export type ForgeType = (typeof forgeTypes)[number]

interface Dialect {
  /** Of the repository, without `.git`. */
  readonly path: string
  /** Headers of the token `bot:secret` (Bitbucket) or `secret`. */
  readonly authorization: Readonly<Record<string, string>>
  readonly user: RegExp
  /** Its groups: the pull request, and the comment. */
  readonly list: RegExp
  readonly one: RegExp
  readonly method: 'PUT' | 'PATCH'
  /** Where the statuses of a commit are read and written. */
  readonly statuses: { readonly read: RegExp; readonly write: RegExp }
  readonly userJson: unknown
  readonly shown: (comment: ForgeComment) => unknown
  readonly listed: (comments: readonly unknown[]) => unknown
  readonly textIn: (body: Json) => string
}

type Json = Readonly<Record<string, unknown>>

const basic = (user: string) => ({ authorization: `Basic ${Buffer.from(`${user}:secret`).toString('base64')}` })
const asIs = (comments: readonly unknown[]) => comments
const likeGitHub = (api: string) => ({
  path: 'org/app',
  user: new RegExp(`^${api}/user$`),
  list: new RegExp(`^${api}/repos/org/app/issues/(\\d+)/comments$`),
  one: new RegExp(`^${api}/repos/org/app/issues/()comments/(\\d+)$`),
  method: 'PATCH' as const,
  userJson: { login: 'bot' },
  shown: ({ id, text: body, author: login }: ForgeComment) => ({ id, body, user: { login } }),
  listed: asIs,
  textIn: (body: Json) => String(body.body),
})

export const forgeDialects: Readonly<Record<ForgeType, Dialect>> = {
  github: {
    ...likeGitHub('/api/v3'),
    authorization: { authorization: 'Bearer secret' },
    statuses: {
      read: /^\/api\/v3\/repos\/org\/app\/commits\/(\w+)\/statuses$/,
      write: /^\/api\/v3\/repos\/org\/app\/statuses\/(\w+)$/,
    },
  },
  gitea: {
    ...likeGitHub('/api/v1'),
    authorization: { authorization: 'token secret' },
    statuses: {
      read: /^\/api\/v1\/repos\/org\/app\/statuses\/(\w+)$/,
      write: /^\/api\/v1\/repos\/org\/app\/statuses\/(\w+)$/,
    },
  },
  gitlab: {
    path: 'org/app',
    authorization: { 'private-token': 'secret' },
    user: /^\/api\/v4\/user$/,
    list: /^\/api\/v4\/projects\/org%2Fapp\/merge_requests\/(\d+)\/notes$/,
    one: /^\/api\/v4\/projects\/org%2Fapp\/merge_requests\/(\d+)\/notes\/(\d+)$/,
    method: 'PUT',
    statuses: {
      read: /^\/api\/v4\/projects\/org%2Fapp\/repository\/commits\/(\w+)\/statuses$/,
      write: /^\/api\/v4\/projects\/org%2Fapp\/statuses\/(\w+)$/,
    },
    userJson: { username: 'bot' },
    shown: ({ id, text: body, author: username }) => ({ id, body, author: { username } }),
    listed: asIs,
    textIn: body => String(body.body),
  },
  bitbucket: {
    path: 'org/app',
    authorization: basic('bot'),
    user: /^\/2\.0\/user$/,
    list: /^\/2\.0\/repositories\/org\/app\/pullrequests\/(\d+)\/comments$/,
    one: /^\/2\.0\/repositories\/org\/app\/pullrequests\/(\d+)\/comments\/(\d+)$/,
    method: 'PUT',
    statuses: {
      read: /^\/2\.0\/repositories\/org\/app\/commit\/(\w+)\/statuses\/build\/\w+$/,
      write: /^\/2\.0\/repositories\/org\/app\/commit\/(\w+)\/statuses\/build$/,
    },
    userJson: { uuid: '{bot}' },
    shown: ({ id, text: raw, author }) => ({ id, content: { raw }, user: { uuid: `{${author}}` } }),
    listed: values => ({ values }),
    textIn: body => String((body.content as Json).raw),
  },
  bitbucketserver: {
    path: 'scm/org/app',
    authorization: basic('bot'),
    user: /^\/none$/,
    list: /^\/rest\/api\/latest\/projects\/org\/repos\/app\/pull-requests\/(\d+)\/(?:comments|activities)$/,
    one: /^\/rest\/api\/latest\/projects\/org\/repos\/app\/pull-requests\/(\d+)\/comments\/(\d+)$/,
    method: 'PUT',
    statuses: {
      read: /^\/rest\/api\/latest\/projects\/org\/repos\/app\/commits\/(\w+)\/builds$/,
      write: /^\/rest\/api\/latest\/projects\/org\/repos\/app\/commits\/(\w+)\/builds$/,
    },
    userJson: {},
    shown: ({ id, text, author: name, version }) => ({ id, text, version, author: { name } }),
    listed: comments => ({
      values: [{ action: 'OPENED' }, ...comments.map(comment => ({ action: 'COMMENTED', comment }))],
      isLastPage: true,
    }),
    textIn: body => String(body.text),
  },
  azuredevops: {
    path: 'org/shop/_git/app',
    authorization: basic(''),
    user: /^\/org\/_apis\/connectionData$/,
    list: /^\/org\/shop\/_apis\/git\/repositories\/app\/pullRequests\/(\d+)\/threads$/,
    one: /^\/org\/shop\/_apis\/git\/repositories\/app\/pullRequests\/(\d+)\/threads\/(\d+)\/comments\/1$/,
    method: 'PATCH',
    statuses: {
      read: /^\/org\/shop\/_apis\/git\/repositories\/app\/commits\/(\w+)\/statuses$/,
      write: /^\/org\/shop\/_apis\/git\/repositories\/app\/commits\/(\w+)\/statuses$/,
    },
    userJson: { authenticatedUser: { id: 'id-of-bot' } },
    shown: ({ id, text: content, author }) => ({
      id,
      comments: [{ id: 1, content, author: { id: `id-of-${author}` } }],
    }),
    listed: value => ({ value, count: value.length }),
    textIn: ({ content, comments }) => String(content ?? (comments as readonly Json[])[0]!.content),
  },
}

/** Serves the API of one repository; requests for anything else fail with 404, and those without credentials with 401. */
export const forgeServer = async (type: ForgeType): Promise<ForgeServer> => endWithTest(await startForgeServer(type))

const startForgeServer = async (type: ForgeType): Promise<ForgeServer> => {
  const { authorization, user, list, one, method, statuses, userJson, shown, listed, textIn } = forgeDialects[type]
  const comments: ForgeComment[] = []
  const known: ForgeServer['statuses'] = []
  const refusals: JsonReply[] = []
  const answer = ({ path, method: verb, headers, body }: JsonRequest): JsonReply | undefined => {
    const isLoggedIn = Object.entries(authorization).every(([name, value]) => headers[name] === value)
    if (!isLoggedIn) return { status: 401, json: { message: 'Unauthorized' } }
    if (user.test(path)) return { json: userJson }
    const refusal = verb === 'GET' ? undefined : refusals.shift()
    if (refusal) return refusal
    const sent = (body ? JSON.parse(body) : {}) as Json
    const [, pull = ''] = list.exec(path) ?? []
    if (pull && verb === 'GET') return { json: listed(comments.filter(comment => comment.pull === pull).map(shown)) }
    if (pull && verb === 'POST') {
      const comment = { id: comments.length + 1, pull, author: 'bot', text: textIn(sent), version: 0 }
      comments.push(comment)
      return { status: 201, json: shown(comment) }
    }
    const [, , id] = one.exec(path) ?? []
    const comment = comments.find(comment => String(comment.id) === id)
    if (comment && verb === 'GET') return { json: shown(comment) }
    if (comment && verb === method) {
      if (comment.author !== 'bot') return { status: 403, json: { message: 'not yours' } }
      if (type === 'bitbucketserver' && sent.version !== comment.version)
        return { status: 409, json: { errors: [{ message: 'out of date' }] } }
      comment.text = textIn(sent)
      comment.version++
      return { json: shown(comment) }
    }
    const [, commit = ''] = (verb === 'GET' ? statuses.read : statuses.write).exec(path) ?? []
    if (commit && verb === 'POST') {
      known.push({ commit, sent })
      return { status: 201, json: {} }
    }
    return commit && !['bitbucket', 'bitbucketserver'].includes(type)
      ? { json: type === 'azuredevops' ? { value: [] } : [] }
      : undefined
  }
  const server = await startJsonServer(answer)
  const close = () => server[Symbol.asyncDispose]()
  const { url: origin, requests } = server
  return { origin, comments, statuses: known, requests, refusals, [Symbol.asyncDispose]: close }
}

export interface ForgeRepository extends AsyncDisposable {
  readonly repo: GitRepo
  readonly url: string
  readonly forge: ForgeServer
}

/** A repository in a forge, until the test ends: git and the API of the forge share an address. */
export const forgeRepository = async (type: ForgeType, files: TreeChange): Promise<ForgeRepository> =>
  endWithTest(await startForgeRepository(type, files))

/** The same, which the caller disposes of, for use outside of tests. */
export const startForgeRepository = async (type: ForgeType, files: TreeChange): Promise<ForgeRepository> => {
  const forge = await startForgeServer(type)
  const repo = await startGitRepo(files)
  const path = `${forgeDialects[type].path}${type === 'azuredevops' ? '' : '.git'}`
  const root = dirname(repo.dir)
  mkdirSync(join(root, dirname(path)), { recursive: true })
  symlinkSync(repo.dir, join(root, path))
  repo.server.intercept = ({ url = '', method, headers }, response, body) => {
    if (/\/(info\/refs|git-(upload|receive)-pack)/.test(url)) return false
    const sent = Object.fromEntries(
      ['authorization', 'private-token', 'content-type'].flatMap(name => {
        const value = headers[name]
        return typeof value === 'string' ? [[name, value]] : []
      }),
    )
    void fetch(`${forge.origin}${url}`, { method, headers: sent, ...(body.length && { body }) } as RequestInit).then(
      async reply => {
        response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text())
      },
    )
    return true
  }
  return {
    ...{ repo, url: `${repo.server.url}/${path}`, forge },
    async [Symbol.asyncDispose]() {
      await repo[Symbol.asyncDispose]()
      await forge[Symbol.asyncDispose]()
    },
  }
}
