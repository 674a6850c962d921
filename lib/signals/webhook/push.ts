import { isContentId } from '../../foundations/kinds/announced-version.ts'
import { at, listAt, textAt } from '../../foundations/kinds/json-path.ts'
import { repositoryAddress } from '../../foundations/kinds/repository-address.ts'

/** A push to a forge or registry, as described by its payload. */
export interface Push {
  /** Addresses of the repository (see repositoryAddress): forges list several. */
  readonly repositories: ReadonlySet<string>
  /** `refs/heads/main`, `refs/tags/v1`, or tags of artifacts. Empty if unknown. */
  readonly versions: readonly string[]
  /** The new commit or digest of each version, if the payload has it. */
  readonly contents: ReadonlyMap<string, string>
}

/**
 * Reads a payload in any known format; undefined if the format or repository is unknown. Only used to skip sources:
 * their content is always read from the source itself.
 */
export const readPush = (payload: unknown): Push | undefined => {
  for (const read of readers) {
    const push = read(payload)
    if (push && push.repositories.size > 0) return push
  }
  return undefined
}

type Read = (payload: unknown) => Push | undefined

const pushTo = (addresses: readonly string[], pushed: readonly Pushed[]): Push => ({
  repositories: new Set(addresses.filter(address => address !== '').map(repositoryAddress)),
  versions: pushed.map(([version]) => version).filter(version => version !== ''),
  contents: new Map(pushed.filter(([version, content]) => version !== '' && isContentId(content))),
})

type Pushed = readonly [version: string, content: string]

/** GitHub, Gitea, Forgejo and Gogs. */
const github: Read = payload => {
  const ref = textAt(payload, 'ref')
  if (!ref.startsWith('refs/')) return undefined
  const addresses = ['clone_url', 'ssh_url', 'html_url', 'git_url'].map(key => textAt(payload, 'repository', key))
  return pushTo(addresses, [[ref, textAt(payload, 'after')]])
}

const gitlab: Read = payload => {
  const ref = textAt(payload, 'ref')
  if (!ref.startsWith('refs/')) return undefined
  return pushTo(
    ['git_http_url', 'git_ssh_url', 'web_url'].map(key => textAt(payload, 'project', key)),
    [[ref, textAt(payload, 'after')]],
  )
}

const bitbucketCloud: Read = payload => {
  const changes = listAt(payload, 'push', 'changes')
  if (changes.length === 0) return undefined
  const refs = changes.map(change => {
    const side = at(change, 'new') ?? at(change, 'old')
    const name = textAt(side, 'name')
    const ref = name && `${textAt(side, 'type') === 'tag' ? 'refs/tags/' : 'refs/heads/'}${name}`
    return [ref, textAt(change, 'new', 'target', 'hash')] as const
  })
  return pushTo([textAt(payload, 'repository', 'links', 'html', 'href')], refs)
}

const bitbucketServer: Read = payload => {
  const changes = listAt(payload, 'changes')
  const clones = listAt(payload, 'repository', 'links', 'clone')
  if (changes.length === 0 || clones.length === 0) return undefined
  return pushTo(
    clones.map(clone => textAt(clone, 'href')),
    changes.map(change => [textAt(change, 'ref', 'id'), textAt(change, 'toHash')] as const),
  )
}

const azureDevOps: Read = payload => {
  const updates = listAt(payload, 'resource', 'refUpdates')
  if (updates.length === 0) return undefined
  return pushTo(
    [textAt(payload, 'resource', 'repository', 'remoteUrl')],
    updates.map(update => [textAt(update, 'name'), textAt(update, 'newObjectId')] as const),
  )
}

/** GitHub's container registry: an event of a repository or organization webhook. */
const ghcr: Read = payload => {
  const item = at(payload, 'package') ?? at(payload, 'registry_package')
  if (textAt(item, 'package_type').toLowerCase() !== 'container') return undefined
  const tag = at(item, 'package_version', 'container_metadata', 'tag')
  const address = `ghcr.io/${textAt(item, 'owner', 'login')}/${textAt(item, 'name')}`
  return pushTo([address], [[textAt(tag, 'name'), textAt(tag, 'digest')]])
}

const dockerHub: Read = payload => {
  const name = textAt(payload, 'repository', 'repo_name')
  return name ? pushTo([`docker.io/${name}`], [[textAt(payload, 'push_data', 'tag'), '']]) : undefined
}

const quay: Read = payload => {
  const address = textAt(payload, 'docker_url')
  const tags = at(payload, 'updated_tags')
  if (!address) return undefined
  const names = Array.isArray(tags) ? tags : Object.keys(typeof tags === 'object' && tags ? tags : {})
  return pushTo(
    [address],
    names.filter(tag => typeof tag === 'string').map(tag => [tag, ''] as const),
  )
}

const harbor: Read = payload => {
  const data = at(payload, 'event_data') ?? at(payload, 'data')
  const resources = listAt(data, 'resources')
  return resources.length > 0
    ? pushTo(
        resources.map(resource => withoutVersion(textAt(resource, 'resource_url'))),
        resources.map(resource => [textAt(resource, 'tag'), textAt(resource, 'digest')] as const),
      )
    : undefined
}

/** Google's registries, through Pub/Sub. */
const google: Read = payload => {
  const [tag, digest] = [textAt(payload, 'tag'), textAt(payload, 'digest')]
  const address = tag || digest
  if (!textAt(payload, 'action') || !address) return undefined
  const pushed = [tag.slice(withoutVersion(tag).length + 1), digest.slice(digest.indexOf('@') + 1)] as const
  return pushTo([withoutVersion(address)], [pushed])
}

const azureRegistry: Read = payload => {
  const repository = textAt(payload, 'target', 'repository')
  const host = textAt(payload, 'request', 'host')
  const pushed = [textAt(payload, 'target', 'tag'), textAt(payload, 'target', 'digest')] as const
  return repository && host ? pushTo([`${host}/${repository}`], [pushed]) : undefined
}

/** Notifications of CNCF distribution: a list of events; only pushes of tagged manifests are used. */
const distribution: Read = payload => {
  const pushes = listAt(payload, 'events').filter(event => textAt(event, 'action') === 'push')
  if (pushes.length === 0) return undefined
  return pushTo(
    pushes.map(event => `${textAt(event, 'request', 'host')}/${textAt(event, 'target', 'repository')}`),
    pushes.map(event => [textAt(event, 'target', 'tag'), textAt(event, 'target', 'digest')] as const),
  )
}

const withoutVersion = (address: string): string => address.replace(/@sha256:[0-9a-f]+$/, '').replace(/:[^/:]+$/, '')

const readers: readonly Read[] = [
  ...[gitlab, github, bitbucketCloud, bitbucketServer, azureDevOps],
  ...[ghcr, dockerHub, quay, harbor, azureRegistry, distribution, google],
]
