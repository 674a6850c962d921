import { createHash } from 'node:crypto'
import { commitOf, describeReason, isFailure, isProgress, type Notification } from '../notification.ts'
import { gitAddressOf, githubApi, ownerAndName, tokenOf } from './git-address.ts'
import { basic, bearer, type Send, type Telling } from './sender.ts'

/** Shows on a commit how its reconciliation went. A status that is there already is not set again. */

type Fields = Readonly<Record<string, unknown>>

const listOf = (json: unknown): readonly Fields[] => (Array.isArray(json) ? (json as Fields[]) : [])

/** Whether the newest status of this name says the same. Forges list the newest first. */
const saysSo = (json: unknown, name: Fields, says: Fields): boolean => {
  const latest = listOf(json).find(status => agrees(status, name))
  return latest !== undefined && agrees(latest, says)
}

const agrees = (status: Fields, wanted: Fields): boolean =>
  Object.entries(wanted).every(([key, value]) => {
    const found = status[key]
    return typeof value === 'object' ? agrees((found ?? {}) as Fields, value as Fields) : found === value
  })

const keyOf = (commitStatus: string): string => createHash('sha1').update(commitStatus).digest('hex') // 40 characters at most

const nameOf = ({ involvedObject: { kind, name } }: Notification): string => `${kind}/${name}`.toLowerCase()

const github: Send = async ({ notification, access, commitStatus: context, http }) => {
  const address = gitAddressOf(access)
  const repository = `${githubApi(address)}/repos/${ownerAndName(address).join('/')}`
  const commit = commitOf(notification)
  const headers = { ...bearer(tokenOf(access)), accept: 'application/vnd.github+json', 'user-agent': 'keelson' }
  const says = { state: isFailure(notification) ? 'failure' : 'success', description: describeReason(notification) }
  const { json } = await http({ method: 'GET', url: `${repository}/commits/${commit}/statuses?per_page=50`, headers })
  if (!saysSo(json, { context }, says))
    await http({ url: `${repository}/statuses/${commit}`, headers, json: { context, ...says } })
}

const gitlab: Send = async ({ notification, access, commitStatus: name, http }) => {
  const { origin, path } = gitAddressOf(access)
  const project = `${origin}/api/v4/projects/${encodeURIComponent(path)}`
  const commit = commitOf(notification)
  const headers = { 'private-token': tokenOf(access) }
  const state = isFailure(notification) ? 'failed' : 'success'
  const description = describeReason(notification)
  const known = `${project}/repository/commits/${commit}/statuses?name=${encodeURIComponent(name)}`
  const { json } = await http({ method: 'GET', url: known, headers })
  if (listOf(json).some(status => agrees(status, { name, status: state, description }))) return
  await http({ url: `${project}/statuses/${commit}`, headers, json: { state, name, description } })
}

const gitea: Send = async ({ notification, access, commitStatus: context, http }) => {
  const address = gitAddressOf(access)
  const statuses = `${address.origin}/api/v1/repos/${ownerAndName(address).join('/')}/statuses/${commitOf(notification)}`
  const headers = { authorization: `token ${tokenOf(access)}` }
  const state = isProgress(notification) ? 'pending' : isFailure(notification) ? 'failure' : 'success'
  const description = describeReason(notification)
  const { json } = await http({ method: 'GET', url: `${statuses}?limit=50`, headers })
  if (!saysSo(json, { context }, { status: state, description }))
    await http({ url: statuses, headers, json: { context, state, description } })
}

const bitbucket: Send = async ({ notification, access, commitStatus, http }) => {
  const address = gitAddressOf(access)
  const [username = '', password, ...more] = tokenOf(access).split(':')
  if (!password || more.length > 0) throw new Error('invalid token format, expected to be <user>:<password>')
  const api = address.origin === 'https://bitbucket.org' ? 'https://api.bitbucket.org' : address.origin
  const commit = `${api}/2.0/repositories/${ownerAndName(address).join('/')}/commit/${commitOf(notification)}`
  const headers = basic(username, password)
  const key = keyOf(commitStatus)
  const says = {
    state: isFailure(notification) ? 'FAILED' : 'SUCCESSFUL',
    description: describeReason(notification),
  }
  const known = await http({ method: 'GET', url: `${commit}/statuses/build/${key}`, headers, accept: [404] })
  if (known.status !== 404 && agrees((known.json ?? {}) as Fields, says)) return
  const json = { key, name: nameOf(notification), url: 'https://bitbucket.org', ...says }
  await http({ url: `${commit}/statuses/build`, headers, json })
}

const bitbucketServer: Send = async ({ notification, access, commitStatus, http }) => {
  const { origin, path } = gitAddressOf(access)
  const [, context = '', project, repository] = /^(?:(.*)\/)?scm\/([^/]+)\/([^/]+)$/.exec(path) ?? []
  if (!project) throw new Error('could not parse git address: supplied provider address is not http(s) git clone url')
  const api = `${origin}${context && `/${context}`}/rest/api/latest`
  const builds = `${api}/projects/${project}/repos/${repository}/commits/${commitOf(notification)}/builds`
  const headers = {
    ...(access.token ? bearer(access.token) : basic(access.username, access.password)),
    'x-atlassian-token': 'no-check',
    'x-requested-with': 'XMLHttpRequest',
  }
  const description = describeReason(notification)
  const says = {
    key: keyOf(commitStatus),
    state: isFailure(notification) ? 'FAILED' : 'SUCCESSFUL',
    description,
    name: `${nameOf(notification)} [${description}]`, // the name is all that its pages show
  }
  const known = await http({ method: 'GET', url: `${builds}?key=${says.key}`, headers, accept: [404] })
  if (known.status !== 404 && agrees((known.json ?? {}) as Fields, says)) return
  await http({ url: builds, headers, json: { ...says, url: access.address } })
}

const azureDevOps: Send = async ({ notification, access, commitStatus: name, http }) => {
  const { origin, path } = gitAddressOf(access)
  const [organisation, project, , repository, ...more] = path.split('/')
  if (!repository || more.length > 0) throw new Error(`invalid repository id '${path}'`)
  const git = `${origin}/${organisation}/${project}/_apis/git/repositories/${repository}`
  const statuses = `${git}/commits/${commitOf(notification)}/statuses?api-version=7.1`
  const headers = basic('', tokenOf(access))
  const { summary } = notification.metadata ?? {}
  const context = { genre: summary === undefined ? 'fluxcd' : `fluxcd:${summary}`, name }
  const says = { state: isFailure(notification) ? 'error' : 'succeeded', description: describeReason(notification) }
  const { json } = await http({ method: 'GET', url: `${statuses}&latestOnly=true`, headers })
  if (!saysSo((json as Fields | undefined)?.value, { context }, says))
    await http({ url: statuses, headers, json: { context, ...says } })
}

const ofSettled =
  (send: Send): Send =>
  async (telling: Telling) => {
    if (!isProgress(telling.notification)) await send(telling)
  }

export const commitStatusSenders = {
  github: ofSettled(github),
  gitlab: ofSettled(gitlab),
  gitea, // knows pending ones
  bitbucket: ofSettled(bitbucket),
  bitbucketserver: ofSettled(bitbucketServer),
  azuredevops: ofSettled(azureDevOps),
}
