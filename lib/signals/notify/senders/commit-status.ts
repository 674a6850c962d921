import { createHash } from 'node:crypto'
import { commitHash, describeReason, isFailure, isProgress, type Notification } from '../notification.ts'
import { githubApi, ownerAndName, parseGitAddress, requireToken } from './git-address.ts'
import { basic, bearer, type Send, type SendContext } from './sender.ts'

/** Sets the status of a commit to the result of the reconciliation. Does not set an equal status again. */

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

const keyOf = (commitStatus: string): string => createHash('sha1').update(commitStatus).digest('hex') // the maximum is 40 characters

const nameOf = ({ involvedObject: { kind, name } }: Notification): string => `${kind}/${name}`.toLowerCase()

const github: Send = async ({ notification, access, commitStatus: context, http }) => {
  const address = parseGitAddress(access)
  const repository = `${githubApi(address)}/repos/${ownerAndName(address).join('/')}`
  const commit = commitHash(notification)
  const headers = { ...bearer(requireToken(access)), accept: 'application/vnd.github+json', 'user-agent': 'keelson' }
  const fields = { state: isFailure(notification) ? 'failure' : 'success', description: describeReason(notification) }
  const { json } = await http({ method: 'GET', url: `${repository}/commits/${commit}/statuses?per_page=50`, headers })
  if (!isAlreadySet(json, { context }, fields))
    await http({ url: `${repository}/statuses/${commit}`, headers, json: { context, ...fields } })
}

const gitlab: Send = async ({ notification, access, commitStatus: name, http }) => {
  const { origin, path } = parseGitAddress(access)
  const project = `${origin}/api/v4/projects/${encodeURIComponent(path)}`
  const commit = commitHash(notification)
  const headers = { 'private-token': requireToken(access) }
  const state = isFailure(notification) ? 'failed' : 'success'
  const description = describeReason(notification)
  const known = `${project}/repository/commits/${commit}/statuses?name=${encodeURIComponent(name)}`
  const { json } = await http({ method: 'GET', url: known, headers })
  if (listOf(json).some(status => agrees(status, { name, status: state, description }))) return
  await http({ url: `${project}/statuses/${commit}`, headers, json: { state, name, description } })
}

const gitea: Send = async ({ notification, access, commitStatus: context, http }) => {
  const address = parseGitAddress(access)
  const statuses = `${address.origin}/api/v1/repos/${ownerAndName(address).join('/')}/statuses/${commitHash(notification)}`
  const headers = { authorization: `token ${requireToken(access)}` }
  const state = isProgress(notification) ? 'pending' : isFailure(notification) ? 'failure' : 'success'
  const description = describeReason(notification)
  const { json } = await http({ method: 'GET', url: `${statuses}?limit=50`, headers })
  if (!isAlreadySet(json, { context }, { status: state, description }))
    await http({ url: statuses, headers, json: { context, state, description } })
}

const bitbucket: Send = async ({ notification, access, commitStatus, http }) => {
  const address = parseGitAddress(access)
  const [username = '', password, ...more] = requireToken(access).split(':')
  if (!password || more.length > 0) throw new Error('invalid token format, expected to be <user>:<password>')
  const api = address.origin === 'https://bitbucket.org' ? 'https://api.bitbucket.org' : address.origin
  const commit = `${api}/2.0/repositories/${ownerAndName(address).join('/')}/commit/${commitHash(notification)}`
  const headers = basic(username, password)
  const key = keyOf(commitStatus)
  const fields = {
    state: isFailure(notification) ? 'FAILED' : 'SUCCESSFUL',
    description: describeReason(notification),
  }
  const known = await http({ method: 'GET', url: `${commit}/statuses/build/${key}`, headers, accept: [404] })
  if (known.status !== 404 && agrees((known.json ?? {}) as Fields, fields)) return
  const json = { key, name: nameOf(notification), url: 'https://bitbucket.org', ...fields }
  await http({ url: `${commit}/statuses/build`, headers, json })
}

const bitbucketServer: Send = async ({ notification, access, commitStatus, http }) => {
  const { origin, path } = parseGitAddress(access)
  const [, context = '', project, repository] = /^(?:(.*)\/)?scm\/([^/]+)\/([^/]+)$/.exec(path) ?? []
  if (!project) throw new Error('could not parse git address: supplied provider address is not http(s) git clone url')
  const api = `${origin}${context && `/${context}`}/rest/api/latest`
  const builds = `${api}/projects/${project}/repos/${repository}/commits/${commitHash(notification)}/builds`
  const headers = {
    ...(access.token ? bearer(access.token) : basic(access.username, access.password)),
    'x-atlassian-token': 'no-check',
    'x-requested-with': 'XMLHttpRequest',
  }
  const description = describeReason(notification)
  const fields = {
    key: keyOf(commitStatus),
    state: isFailure(notification) ? 'FAILED' : 'SUCCESSFUL',
    description,
    name: `${nameOf(notification)} [${description}]`, // the pages show only the name
  }
  const known = await http({ method: 'GET', url: `${builds}?key=${fields.key}`, headers, accept: [404] })
  if (known.status !== 404 && agrees((known.json ?? {}) as Fields, fields)) return
  await http({ url: builds, headers, json: { ...fields, url: access.address } })
}

const azureDevOps: Send = async ({ notification, access, commitStatus: name, http }) => {
  const { origin, path } = parseGitAddress(access)
  const [organisation, project, , repository, ...more] = path.split('/')
  if (!repository || more.length > 0) throw new Error(`invalid repository id '${path}'`)
  const git = `${origin}/${organisation}/${project}/_apis/git/repositories/${repository}`
  const statuses = `${git}/commits/${commitHash(notification)}/statuses?api-version=7.1`
  const headers = basic('', requireToken(access))
  const { summary } = notification.metadata ?? {}
  const context = { genre: summary === undefined ? 'fluxcd' : `fluxcd:${summary}`, name }
  const fields = { state: isFailure(notification) ? 'error' : 'succeeded', description: describeReason(notification) }
  const { json } = await http({ method: 'GET', url: `${statuses}&latestOnly=true`, headers })
  if (!isAlreadySet((json as Fields | undefined)?.value, { context }, fields))
    await http({ url: statuses, headers, json: { context, ...fields } })
}

const ofSettled =
  (send: Send): Send =>
  async (context: SendContext) => {
    if (!isProgress(context.notification)) await send(context)
  }

export const commitStatusSenders = {
  github: ofSettled(github),
  gitlab: ofSettled(gitlab),
  gitea, // supports pending statuses
  bitbucket: ofSettled(bitbucket),
  bitbucketserver: ofSettled(bitbucketServer),
  azuredevops: ofSettled(azureDevOps),
}
