import { changeRequestKey, type Notification, toMarkdown } from '../notification.ts'
import type { ProviderAccess } from '../provider-access.ts'
import { githubApi, ownerAndName, parseGitAddress, requireToken } from './git-address.ts'
import { bearer, type Send } from './sender.ts'

/**
 * Keeps one comment per object on a pull or merge request, and edits it with each event. Finds it by a marker in its
 * text and by its author, so that no other comment is edited.
 */

const markerOf = (prefix: string, { uid }: ProviderAccess, { involvedObject }: Notification): string => {
  const { kind, namespace, name } = involvedObject
  return `<!-- ${prefix}:${[uid, kind, namespace, name].join('/')} -->`
}

const numberOf = ({ metadata }: Notification): string => {
  const number = metadata?.[changeRequestKey]
  if (number && /^\d+$/.test(number)) return number
  throw new Error(
    number ? `invalid "${changeRequestKey}" metadata value "${number}"` : `missing "${changeRequestKey}" metadata key`,
  )
}

interface Comment {
  readonly id: number
  readonly body?: string
  readonly user?: { readonly login?: string }
  readonly author?: { readonly username?: string }
}

const findIn = (json: unknown, marker: string, isOurs: (comment: Comment) => boolean): Comment | undefined =>
  (Array.isArray(json) ? (json as Comment[]) : []).find(
    comment => isOurs(comment) && comment.body?.includes(marker) === true,
  )

/** GitHub's API, which Gitea's resembles. Searches the first hundred comments. */
const issueComment = async (
  { notification, access, http }: Parameters<Send>[0],
  {
    api,
    headers,
    query,
  }: { readonly api: string; readonly headers: Readonly<Record<string, string>>; readonly query: string },
): Promise<void> => {
  const repository = `${api}/repos/${ownerAndName(parseGitAddress(access)).join('/')}`
  const issue = `${repository}/issues/${numberOf(notification)}`
  const marker = markerOf('flux-pr-comment-key', access, notification)
  const json = { body: `${marker}\n\n${toMarkdown(notification)}` }
  const user = await http({ method: 'GET', url: `${api}/user`, headers })
  const { login } = user.json as { readonly login?: string }
  const known = await http({ method: 'GET', url: `${issue}/comments?${query}`, headers })
  const comment = findIn(known.json, marker, ({ user }) => user?.login === login)
  if (comment) await http({ method: 'PATCH', url: `${repository}/issues/comments/${comment.id}`, headers, json })
  else await http({ url: `${issue}/comments`, headers, json })
}

/** A comment on GitHub, of the pull request that the event's metadata names. Requires a token. */
export const githubPullRequestComment: Send = context => {
  const headers = {
    ...bearer(requireToken(context.access)),
    accept: 'application/vnd.github+json',
    'user-agent': 'keelson',
  }
  return issueComment(context, { api: githubApi(parseGitAddress(context.access)), headers, query: 'per_page=100' })
}

/** A comment on Gitea or Forgejo. Requires a token. */
export const giteaPullRequestComment: Send = context => {
  const headers = { authorization: `token ${requireToken(context.access)}` }
  return issueComment(context, {
    api: `${parseGitAddress(context.access).origin}/api/v1`,
    headers,
    query: 'page=1&limit=100',
  })
}

/** A note on GitLab; projects in subgroups are found by their path. Requires a token. */
export const gitlabMergeRequestComment: Send = async ({ notification, access, http }) => {
  const { origin, path } = parseGitAddress(access)
  const api = `${origin}/api/v4`
  const headers = { 'private-token': requireToken(access) }
  const notes = `${api}/projects/${encodeURIComponent(path)}/merge_requests/${numberOf(notification)}/notes`
  const marker = markerOf('flux-mr-comment-key', access, notification)
  const json = { body: `${marker}\n\n${toMarkdown(notification)}` }
  const user = await http({ method: 'GET', url: `${api}/user`, headers })
  const { username } = user.json as { readonly username?: string }
  const known = await http({ method: 'GET', url: `${notes}?sort=asc&order_by=created_at&per_page=100`, headers })
  const note = findIn(known.json, marker, ({ author }) => author?.username === username)
  if (note) await http({ method: 'PUT', url: `${notes}/${note.id}`, headers, json })
  else await http({ url: notes, headers, json })
}

/** Triggers a workflow of a repository, with the event as its payload. */
export const githubDispatch: Send = ({ notification, access, http }) => {
  const address = parseGitAddress(access)
  const { kind, name, namespace } = notification.involvedObject
  return http({
    url: `${githubApi(address)}/repos/${ownerAndName(address).join('/')}/dispatches`,
    headers: { ...bearer(requireToken(access)), accept: 'application/vnd.github+json', 'user-agent': 'keelson' },
    json: { event_type: `${kind}/${name}.${namespace}`, client_payload: notification },
  })
}
