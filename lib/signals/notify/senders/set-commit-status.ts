import { createHash } from 'node:crypto'
import type { Http } from '../http.ts'
import type { ProviderAccess } from '../provider-access.ts'
import { githubApi, ownerAndName, parseGitAddress, requireToken } from './git-address.ts'
import { basic, bearer } from './sender.ts'

/** What a forge shows beside a commit. */
export interface CommitStatus {
  /** Full hash. */
  readonly commit: string
  /** Identifies the status among those of the commit. */
  readonly context: string
  /** For people, where a forge shows one beside the context. */
  readonly name: string
  readonly state: 'pending' | 'success' | 'failure'
  /** At most 140 characters: GitHub's limit. */
  readonly description: string
  /** Group of Azure DevOps' contexts. */
  readonly genre: string
}

/** The types of Providers that set statuses of commits. */
export const commitStatusTypes = ['github', 'gitlab', 'gitea', 'bitbucket', 'bitbucketserver', 'azuredevops'] as const
export type CommitStatusType = (typeof commitStatusTypes)[number]

export const isCommitStatusType = (type: string): type is CommitStatusType =>
  (commitStatusTypes as readonly string[]).includes(type)

/** Sets the status of a commit. Does not set an equal status again. Fails with NotDelivered. */
export type SetCommitStatus = (status: CommitStatus, access: ProviderAccess, http: Http) => Promise<void>

type Fields = Readonly<Record<string, unknown>>

const listOf = (json: unknown): readonly Fields[] => (Array.isArray(json) ? (json as Fields[]) : [])

/** Whether the newest status with this name is equal. Forges list the newest first. */
const isAlreadySet = (json: unknown, name: Fields, fields: Fields): boolean => {
  const latest = listOf(json).find(status => agrees(status, name))
  return latest !== undefined && agrees(latest, fields)
}

const agrees = (status: Fields, wanted: Fields): boolean =>
  Object.entries(wanted).every(([key, value]) => {
    const found = status[key]
    return typeof value === 'object' ? agrees((found ?? {}) as Fields, value as Fields) : found === value
  })

const keyOf = (context: string): string => createHash('sha1').update(context).digest('hex') // the maximum is 40 characters

const github: SetCommitStatus = async ({ commit, context, state, description }, access, http) => {
  const address = parseGitAddress(access)
  const repository = `${githubApi(address)}/repos/${ownerAndName(address).join('/')}`
  const headers = { ...bearer(requireToken(access)), accept: 'application/vnd.github+json', 'user-agent': 'keelson' }
  const fields = { state, description }
  const { json } = await http({ method: 'GET', url: `${repository}/commits/${commit}/statuses?per_page=50`, headers })
  if (!isAlreadySet(json, { context }, fields))
    await http({ url: `${repository}/statuses/${commit}`, headers, json: { context, ...fields } })
}

const gitlabStates = { pending: 'pending', success: 'success', failure: 'failed' } as const

const gitlab: SetCommitStatus = async ({ commit, context: name, description, ...status }, access, http) => {
  const { origin, path } = parseGitAddress(access)
  const project = `${origin}/api/v4/projects/${encodeURIComponent(path)}`
  const headers = { 'private-token': requireToken(access) }
  const state = gitlabStates[status.state]
  const known = `${project}/repository/commits/${commit}/statuses?name=${encodeURIComponent(name)}`
  const { json } = await http({ method: 'GET', url: known, headers })
  if (listOf(json).some(status => agrees(status, { name, status: state, description }))) return
  await http({ url: `${project}/statuses/${commit}`, headers, json: { state, name, description } })
}

const gitea: SetCommitStatus = async ({ commit, context, state, description }, access, http) => {
  const address = parseGitAddress(access)
  const statuses = `${address.origin}/api/v1/repos/${ownerAndName(address).join('/')}/statuses/${commit}`
  const headers = { authorization: `token ${requireToken(access)}` }
  const { json } = await http({ method: 'GET', url: `${statuses}?limit=50`, headers })
  if (!isAlreadySet(json, { context }, { status: state, description }))
    await http({ url: statuses, headers, json: { context, state, description } })
}

const bitbucketStates = { pending: 'INPROGRESS', success: 'SUCCESSFUL', failure: 'FAILED' } as const

const bitbucket: SetCommitStatus = async ({ commit: hash, context, name, state, description }, access, http) => {
  const address = parseGitAddress(access)
  const commit = `${bitbucketApi(address.origin)}/2.0/repositories/${ownerAndName(address).join('/')}/commit/${hash}`
  const headers = bitbucketLogin(access)
  const key = keyOf(context)
  const fields = { state: bitbucketStates[state], description }
  const known = await http({ method: 'GET', url: `${commit}/statuses/build/${key}`, headers, accept: [404] })
  if (known.status !== 404 && agrees((known.json ?? {}) as Fields, fields)) return
  const json = { key, name, url: 'https://bitbucket.org', ...fields }
  await http({ url: `${commit}/statuses/build`, headers, json })
}

/** Base URL of Bitbucket Cloud's API. */
export const bitbucketApi = (origin: string): string =>
  origin === 'https://bitbucket.org' ? 'https://api.bitbucket.org' : origin

/** The token of Bitbucket Cloud is `<user>:<password>`. */
export const bitbucketLogin = (access: ProviderAccess): Readonly<Record<string, string>> => {
  const [username = '', password, ...more] = requireToken(access).split(':')
  if (!password || more.length > 0) throw new Error('invalid token format, expected to be <user>:<password>')
  return basic(username, password)
}

const bitbucketServer: SetCommitStatus = async (status, access, http) => {
  const { commit, context, name, state, description } = status
  const builds = `${bitbucketServerRepository(access)}/commits/${commit}/builds`
  const headers = bitbucketServerLogin(access)
  const fields = {
    key: keyOf(context),
    state: bitbucketStates[state],
    description,
    name: `${name} [${description}]`, // the pages show only the name
  }
  const known = await http({ method: 'GET', url: `${builds}?key=${fields.key}`, headers, accept: [404] })
  if (known.status !== 404 && agrees((known.json ?? {}) as Fields, fields)) return
  await http({ url: builds, headers, json: { ...fields, url: access.address } })
}

/** URL of a repository in the API of Bitbucket Server and Data Center. */
export const bitbucketServerRepository = (access: ProviderAccess): string => {
  const { origin, path } = parseGitAddress(access)
  const [, context = '', project, repository] = /^(?:(.*)\/)?scm\/([^/]+)\/([^/]+)$/.exec(path) ?? []
  if (!project) throw new Error('could not parse git address: supplied provider address is not http(s) git clone url')
  return `${origin}${context && `/${context}`}/rest/api/latest/projects/${project}/repos/${repository}`
}

/**
 * The headers of requests to Bitbucket Server, which refuses those it takes for a browser's, unless they opt out of its
 * XSRF check.
 */
export const bitbucketServerLogin = (access: ProviderAccess): Readonly<Record<string, string>> => ({
  ...(access.token ? bearer(access.token) : basic(access.username, access.password)),
  'x-atlassian-token': 'no-check',
  'x-requested-with': 'XMLHttpRequest',
})

const azureStates = { pending: 'pending', success: 'succeeded', failure: 'error' } as const

const azureDevOps: SetCommitStatus = async ({ commit, context: name, genre, description, state }, access, http) => {
  const statuses = `${azureRepository(access)}/commits/${commit}/statuses?api-version=7.1`
  const headers = basic('', requireToken(access))
  const context = { genre, name }
  const fields = { state: azureStates[state], description }
  const { json } = await http({ method: 'GET', url: `${statuses}&latestOnly=true`, headers })
  if (!isAlreadySet((json as Fields | undefined)?.value, { context }, fields))
    await http({ url: statuses, headers, json: { context, ...fields } })
}

/** URL of a repository in Azure DevOps' API. */
export const azureRepository = (access: ProviderAccess): string => {
  const { origin, path } = parseGitAddress(access)
  const [organisation, project, , repository, ...more] = path.split('/')
  if (!repository || more.length > 0) throw new Error(`invalid repository id '${path}'`)
  return `${origin}/${organisation}/${project}/_apis/git/repositories/${repository}`
}

export const setCommitStatus: Readonly<Record<CommitStatusType, SetCommitStatus>> = {
  github,
  gitlab,
  gitea,
  bitbucket,
  bitbucketserver: bitbucketServer,
  azuredevops: azureDevOps,
}
