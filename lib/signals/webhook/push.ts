import { repositoryAddress } from '../../foundations/kinds/repository-address.ts'
import { at, listAt, textAt } from './call.ts'

/** What a forge or a registry says has been pushed, as far as it says. */
export interface Push {
  /** Addresses of the repository (see repositoryAddress): a forge names several. */
  readonly repositories: ReadonlySet<string>
  /** `refs/heads/main`, `refs/tags/v1`; for artifacts their tags. Empty: it does not say. */
  readonly versions: readonly string[]
}

/**
 * Reads a payload of any known shape; undefined when it is of none, or names no repository. It decides only what need not
 * be looked at: what a source holds is always read from the source.
 */
export const pushOf = (payload: unknown): Push | undefined => {
  for (const read of readers) {
    const push = read(payload)
    if (push && push.repositories.size > 0) return push
  }
  return undefined
}

type Read = (payload: unknown) => Push | undefined

const pushTo = (addresses: readonly string[], versions: readonly string[]): Push => ({
  repositories: new Set(addresses.filter(address => address !== '').map(repositoryAddress)),
  versions: versions.filter(version => version !== ''),
})

/** GitHub, Gitea, Forgejo and Gogs. */
const github: Read = payload => {
  const ref = textAt(payload, 'ref')
  if (!ref.startsWith('refs/')) return undefined
  const addresses = ['clone_url', 'ssh_url', 'html_url', 'git_url'].map(key => textAt(payload, 'repository', key))
  return pushTo(addresses, [ref])
}

const gitlab: Read = payload => {
  const ref = textAt(payload, 'ref')
  if (!ref.startsWith('refs/')) return undefined
  return pushTo(
    ['git_http_url', 'git_ssh_url', 'web_url'].map(key => textAt(payload, 'project', key)),
    [ref],
  )
}

const bitbucketCloud: Read = payload => {
  const changes = listAt(payload, 'push', 'changes')
  if (changes.length === 0) return undefined
  const refs = changes.map(change => {
    const side = at(change, 'new') ?? at(change, 'old')
    const name = textAt(side, 'name')
    return name && `${textAt(side, 'type') === 'tag' ? 'refs/tags/' : 'refs/heads/'}${name}`
  })
  return pushTo([textAt(payload, 'repository', 'links', 'html', 'href')], refs)
}

const bitbucketServer: Read = payload => {
  const changes = listAt(payload, 'changes')
  const clones = listAt(payload, 'repository', 'links', 'clone')
  if (changes.length === 0 || clones.length === 0) return undefined
  return pushTo(
    clones.map(clone => textAt(clone, 'href')),
    changes.map(change => textAt(change, 'ref', 'id')),
  )
}

const azureDevOps: Read = payload => {
  const updates = listAt(payload, 'resource', 'refUpdates')
  if (updates.length === 0) return undefined
  return pushTo(
    [textAt(payload, 'resource', 'repository', 'remoteUrl')],
    updates.map(update => textAt(update, 'name')),
  )
}

/** GitHub's container registry: an event of the repository's or organisation's webhook. */
const ghcr: Read = payload => {
  const item = at(payload, 'package') ?? at(payload, 'registry_package')
  if (textAt(item, 'package_type').toLowerCase() !== 'container') return undefined
  const tag = textAt(item, 'package_version', 'container_metadata', 'tag', 'name')
  return pushTo([`ghcr.io/${textAt(item, 'owner', 'login')}/${textAt(item, 'name')}`], [tag])
}

const dockerHub: Read = payload => {
  const name = textAt(payload, 'repository', 'repo_name')
  return name ? pushTo([`docker.io/${name}`], [textAt(payload, 'push_data', 'tag')]) : undefined
}

const quay: Read = payload => {
  const address = textAt(payload, 'docker_url')
  const tags = at(payload, 'updated_tags')
  if (!address) return undefined
  const names = Array.isArray(tags) ? tags : Object.keys(typeof tags === 'object' && tags ? tags : {})
  return pushTo(
    [address],
    names.filter(tag => typeof tag === 'string'),
  )
}

const harbor: Read = payload => {
  const data = at(payload, 'event_data') ?? at(payload, 'data')
  const resources = listAt(data, 'resources')
  return resources.length > 0
    ? pushTo(
        resources.map(resource => withoutVersion(textAt(resource, 'resource_url'))),
        resources.map(resource => textAt(resource, 'tag')),
      )
    : undefined
}

/** Google's registries, by Pub/Sub. */
const google: Read = payload => {
  const [tag, digest] = [textAt(payload, 'tag'), textAt(payload, 'digest')]
  const address = tag || digest
  if (!textAt(payload, 'action') || !address) return undefined
  return pushTo([withoutVersion(address)], [tag.slice(withoutVersion(tag).length + 1)])
}

const azureRegistry: Read = payload => {
  const repository = textAt(payload, 'target', 'repository')
  const host = textAt(payload, 'request', 'host')
  return repository && host ? pushTo([`${host}/${repository}`], [textAt(payload, 'target', 'tag')]) : undefined
}

/** Notifications of CNCF distribution: a list of events, of which those of manifests with tags count. */
const distribution: Read = payload => {
  const pushes = listAt(payload, 'events').filter(event => textAt(event, 'action') === 'push')
  if (pushes.length === 0) return undefined
  return pushTo(
    pushes.map(event => `${textAt(event, 'request', 'host')}/${textAt(event, 'target', 'repository')}`),
    pushes.map(event => textAt(event, 'target', 'tag')),
  )
}

const withoutVersion = (address: string): string => address.replace(/@sha256:[0-9a-f]+$/, '').replace(/:[^/:]+$/, '')

const readers: readonly Read[] = [
  ...[gitlab, github, bitbucketCloud, bitbucketServer, azureDevOps],
  ...[ghcr, dockerHub, quay, harbor, azureRegistry, distribution, google],
]
