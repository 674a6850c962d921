import { at, textAt } from '../../foundations/kinds/json-path.ts'
import { repositoryAddress } from '../../foundations/kinds/repository-address.ts'

/** An event of a pull or merge request, as its forge describes it. */
export interface PullRequestEvent {
  /** Addresses of the repository that it is to be merged into (see repositoryAddress): forges list several. */
  readonly repositories: ReadonlySet<string>
  readonly number: string
  /** Reference of the head in git: of the request itself, or of its branch where a forge has no such reference. */
  readonly ref: string
  readonly commit: string
  /** Name of the branch to merge into. */
  readonly base: string
  readonly author: string
  /** `owner/repository` of the head, if that is another repository; `?` if the forge does not say which. */
  readonly fork?: string | undefined
  readonly isOpen: boolean
}

/** Reads a payload in any known format; undefined for other events. */
export const readPullRequest = (payload: unknown): PullRequestEvent | undefined => {
  for (const read of readers) {
    const event = read(payload)
    if (event && isComplete(event)) return event
  }
  return undefined
}

type Read = (payload: unknown) => PullRequestEvent | undefined

const isComplete = ({ repositories, number, ref, commit, base }: PullRequestEvent): boolean =>
  repositories.size > 0 && /^\d{1,18}$/.test(number) && isReference(ref) && isCommit(commit) && base !== ''

/** A reference that git accepts, and that leads out of nothing. */
const isReference = (ref: string): boolean => /^refs\/[\w./@+=#-]{1,250}$/.test(ref) && !/\.\.|@\{|\/\/|\/$/.test(ref)

/** Bitbucket Cloud sends twelve digits. */
const isCommit = (commit: string): boolean => /^[0-9a-f]{7,64}$/.test(commit)

const numberAt = (payload: unknown, ...path: readonly string[]): string => {
  const value = at(payload, ...path)
  return Number.isSafeInteger(value) ? String(value) : ''
}

const addresses = (given: readonly string[]): ReadonlySet<string> =>
  new Set(given.filter(address => address !== '').map(repositoryAddress))

/** The head's repository if it is not the base's. Deleted forks have no name any more. */
const forkOf = (head: string, base: string): string | undefined =>
  head.toLowerCase() === base.toLowerCase() ? undefined : head || '?'

/** GitHub, Gitea and Forgejo. */
const github: Read = payload => {
  const request = at(payload, 'pull_request')
  if (request === undefined || at(payload, 'repository', 'clone_url') === undefined) return undefined
  const number = numberAt(request, 'number')
  return {
    repositories: addresses(['clone_url', 'ssh_url', 'html_url'].map(key => textAt(payload, 'repository', key))),
    number,
    ref: `refs/pull/${number}/head`,
    commit: textAt(request, 'head', 'sha'),
    base: textAt(request, 'base', 'ref'),
    author: textAt(request, 'user', 'login'),
    fork: forkOf(textAt(request, 'head', 'repo', 'full_name'), textAt(request, 'base', 'repo', 'full_name')),
    isOpen: textAt(request, 'state') === 'open',
  }
}

const gitlab: Read = payload => {
  if (textAt(payload, 'object_kind') !== 'merge_request') return undefined
  const request = at(payload, 'object_attributes')
  const number = numberAt(request, 'iid')
  const [head, base] = ['source', 'target'].map(side => textAt(request, side, 'path_with_namespace'))
  return {
    repositories: addresses(['git_http_url', 'git_ssh_url', 'web_url'].map(key => textAt(payload, 'project', key))),
    number,
    ref: `refs/merge-requests/${number}/head`,
    commit: textAt(request, 'last_commit', 'id'),
    base: textAt(request, 'target_branch'),
    // Who has opened it is not in the payload: only who has done what the event is about.
    author: textAt(payload, 'user', 'username'),
    fork: forkOf(head!, base!),
    isOpen: textAt(request, 'state') === 'opened',
  }
}

/** It has no references of pull requests: only branches of the repository itself can be fetched. */
const bitbucketCloud: Read = payload => {
  const request = at(payload, 'pullrequest')
  if (request === undefined) return undefined
  const [head, base] = ['source', 'destination'].map(side => textAt(request, side, 'repository', 'full_name'))
  return {
    repositories: addresses([textAt(payload, 'repository', 'links', 'html', 'href')]),
    number: numberAt(request, 'id'),
    ref: `refs/heads/${textAt(request, 'source', 'branch', 'name')}`,
    commit: textAt(request, 'source', 'commit', 'hash'),
    base: textAt(request, 'destination', 'branch', 'name'),
    author: textAt(request, 'author', 'nickname'),
    fork: forkOf(head!, base!),
    isOpen: textAt(request, 'state') === 'OPEN',
  }
}

const bitbucketServer: Read = payload => {
  const request = at(payload, 'pullRequest')
  if (request === undefined) return undefined
  const number = numberAt(request, 'id')
  const fullName = (side: string): string => {
    const [project, slug] = [
      textAt(request, side, 'repository', 'project', 'key'),
      textAt(request, side, 'repository', 'slug'),
    ]
    return project && slug ? `${project}/${slug}` : ''
  }
  const clones = at(request, 'toRef', 'repository', 'links', 'clone')
  return {
    repositories: addresses((Array.isArray(clones) ? clones : []).map(clone => textAt(clone, 'href'))),
    number,
    ref: `refs/pull-requests/${number}/from`,
    commit: textAt(request, 'fromRef', 'latestCommit'),
    base: textAt(request, 'toRef', 'id').replace(/^refs\/heads\//, ''),
    author: textAt(request, 'author', 'user', 'name'),
    fork: forkOf(fullName('fromRef'), fullName('toRef')),
    isOpen: textAt(request, 'state') === 'OPEN',
  }
}

/** Its references of pull requests are those of the merge: the branch of the head is fetched. */
const azureDevOps: Read = payload => {
  if (!textAt(payload, 'eventType').startsWith('git.pullrequest.')) return undefined
  const request = at(payload, 'resource')
  return {
    repositories: addresses([textAt(request, 'repository', 'remoteUrl')]),
    number: numberAt(request, 'pullRequestId'),
    ref: textAt(request, 'sourceRefName'),
    commit: textAt(request, 'lastMergeSourceCommit', 'commitId'),
    base: textAt(request, 'targetRefName').replace(/^refs\/heads\//, ''),
    author: textAt(request, 'createdBy', 'uniqueName'),
    fork:
      at(request, 'forkSource') === undefined ? undefined : textAt(request, 'forkSource', 'repository', 'name') || '?',
    isOpen: textAt(request, 'status') === 'active',
  }
}

const readers: readonly Read[] = [gitlab, github, bitbucketCloud, bitbucketServer, azureDevOps]

/** Whether the head of a fork may be planned: `allowed` lists owners and `owner/repository`, separated by commas; `*` allows all. */
export const isForkAllowed = (fork: string, allowed = ''): boolean => {
  const [owner] = fork.split('/')
  const listed = allowed.split(',').map(entry => entry.trim().toLowerCase())
  return [fork, owner!].some(name => name !== '' && listed.includes(name.toLowerCase())) || listed.includes('*')
}
