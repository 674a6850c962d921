/** The resources of this API, in the legacy form (a document per group and version) and the aggregated one. */

import { createHash } from 'node:crypto'
import type { KindRegistry } from '../../../foundations/kinds/all.ts'
import { servedVersionsOf, storageVersionOf } from '../../../foundations/kinds/all.ts'
import type { Kind, KindVersion } from '../../../foundations/kinds/kind.ts'
import { fleetGroup } from '../../../foundations/kinds/references.ts'
import { sha256Hex } from '../../../foundations/rules/sha256.ts'
import { reviewResources } from '../verbs/reviews.ts'
import { mediaRanges } from '../wire/media-type.ts'
import { pageNotFound, respond } from '../wire/respond.ts'

/** A resource of one version, as in discovery. */
interface Resource {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  /** `<group>/<version>/<kind>` in storage; absent if not stored. */
  readonly stored?: string
  readonly subresources: readonly Subresource[]
}

interface Subresource {
  readonly name: string
  readonly verbs: readonly string[]
  /** Set if its objects are of another kind. */
  readonly of?: { readonly group: string; readonly version: string; readonly kind: string }
}

const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' }
const tokenRequest = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }

/** Responds to discovery paths; undefined for all others. */
export const discover = async (request: Request, url: URL, kinds: KindRegistry): Promise<Response | undefined> => {
  const segments = url.pathname.replace(/\/$/, '').split('/').slice(1)
  const [root, group, version] = segments
  if ((root !== 'api' && root !== 'apis') || segments.length > (root === 'api' ? 2 : 3)) return undefined
  const served = resourcesOf(kinds)
  if (segments.length === 1) return rootDocument(request, url, root, served)
  if (root === 'api') return versionDocument(request, served, '', group!)
  return version === undefined
    ? groupDocument(request, served, group!)
    : versionDocument(request, served, group!, version)
}

const resourcesOf = (kinds: KindRegistry): readonly Resource[] => [
  ...kinds.kinds.flatMap(kind => servedVersionsOf(kind).map(version => resourceOf(kind, version))),
  ...reviewResources.map(review => ({
    ...review,
    singular: review.kind.toLowerCase(),
    verbs: ['create'],
    subresources: [],
  })),
]

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const readingVerbs = ['get', 'list', 'watch']
const subresourceVerbs = ['get', 'patch', 'update']

const isAccountKind = ({ group, kind }: Kind) => group === '' && kind === 'ServiceAccount'
const isDeliveryKind = ({ group, kind }: Kind) => group === fleetGroup && kind === 'Delivery'
const isNamespaceKind = ({ group, kind }: Kind) => group === '' && kind === 'Namespace'

const verbsOf = (kind: Kind): readonly string[] => {
  if (kind.readOnly) return kind.isUnwatched ? readingVerbs.filter(verb => verb !== 'watch') : readingVerbs
  return kind.native ? allVerbs.filter(verb => verb !== 'deletecollection' || !isNamespaceKind(kind)) : customVerbs
}

const resourceOf = (kind: Kind, version: KindVersion): Resource => ({
  group: kind.group,
  version: version.name,
  plural: kind.plural,
  singular: kind.singular,
  kind: kind.kind,
  namespaced: kind.namespaced,
  verbs: verbsOf(kind),
  ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
  ...(kind.categories.length > 0 && { categories: kind.categories }),
  stored: `${kind.group}/${storageVersionOf(kind).name}/${kind.kind}`,
  subresources: [
    ...(isNamespaceKind(kind) ? [{ name: 'finalize', verbs: ['update'] }] : []),
    ...(isAccountKind(kind) ? [{ name: 'token', verbs: ['create'], of: tokenRequest }] : []),
    ...(isDeliveryKind(kind) ? [{ name: 'redeliver', verbs: ['create'] }] : []),
    ...(version.status ? [{ name: 'status', verbs: subresourceVerbs }] : []),
    ...(version.scale ? [{ name: 'scale', verbs: subresourceVerbs, of: scale }] : []),
  ],
})

// ---- documents ----

const rootDocument = (request: Request, url: URL, root: 'api' | 'apis', served: readonly Resource[]) => {
  const here = served.filter(({ group }) => (root === 'api') === (group === ''))
  const version = aggregatedVersion(request)
  if (version) return aggregatedDocument(request, here, version)
  if (root === 'apis')
    return document(request, {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: namesOf(here).map(name => groupOf(here, name)),
    })
  return document(request, {
    kind: 'APIVersions',
    versions: versionsOf(here, ''),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: url.host }],
  })
}

const groupDocument = (request: Request, served: readonly Resource[], group: string) =>
  served.some(resource => resource.group === group && group !== '')
    ? document(request, { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(served, group) })
    : pageNotFound()

const groupOf = (served: readonly Resource[], group: string) => {
  const versions = versionsOf(served, group).map(version => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions, preferredVersion: versions[0] }
}

const versionDocument = (request: Request, served: readonly Resource[], group: string, version: string) => {
  const here = served.filter(resource => resource.group === group && resource.version === version)
  if (here.length === 0) return pageNotFound()
  return document(request, {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: group ? `${group}/${version}` : version,
    resources: here.flatMap(
      ({ plural, singular, kind, namespaced, verbs, shortNames, categories, subresources, stored }) => [
        {
          name: plural,
          singularName: singular,
          namespaced,
          kind,
          verbs,
          shortNames,
          categories,
          ...(stored && { storageVersionHash: storageVersionHash(stored) }),
        },
        ...subresources.map(part => ({
          name: `${plural}/${part.name}`,
          singularName: '',
          namespaced,
          kind,
          ...part.of,
          verbs: part.verbs,
        })),
      ],
    ),
  })
}

const namesOf = (served: readonly Resource[]) => [...new Set(served.map(({ group }) => group))]

const versionsOf = (served: readonly Resource[], group: string) => [
  ...new Set(served.filter(resource => resource.group === group).map(({ version }) => version)),
]

/** Shows clients whether two versions are stored together, computed as in Kubernetes. */
const storageVersionHash = (stored: string): string =>
  createHash('sha256').update(stored).digest().subarray(0, 8).toString('base64')

const document = (request: Request, content: object) => respond({ request }, JSON.stringify(content))

// ---- aggregated discovery ----

const aggregatedVersion = (request: Request): string | undefined => {
  for (const { type, parameters } of mediaRanges(request.headers.get('accept') ?? '')) {
    if (type !== 'application/json') continue
    if (!parameters.has('as')) return undefined
    const isWanted = parameters.get('g') === 'apidiscovery.k8s.io' && parameters.get('as') === 'APIGroupDiscoveryList'
    const version = parameters.get('v')
    if (isWanted && (version === 'v2' || version === 'v2beta1')) return version
  }
  return undefined
}

/** One document for all groups, which clients cache and revalidate by its tag. */
const aggregatedDocument = (request: Request, served: readonly Resource[], version: string): Response => {
  const text = JSON.stringify({
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: namesOf(served).map(group => ({
      metadata: { ...(group && { name: group }) },
      versions: versionsOf(served, group).map(name => ({
        version: name,
        resources: served
          .filter(resource => resource.group === group && resource.version === name)
          .map(aggregatedResource),
        freshness: 'Current',
      })),
    })),
  })
  const etag = `"${sha256Hex(text).toUpperCase()}"`
  const headers = {
    'content-type': `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
    'cache-control': 'no-cache, private',
    etag,
    vary: 'Accept',
  }
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
  return new Response(text, { headers })
}

const aggregatedResource = (resource: Resource) => {
  const { group, version, plural, singular, kind, namespaced, verbs, shortNames, categories, subresources } = resource
  const responseKind = { group, version, kind }
  return {
    resource: plural,
    responseKind,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    shortNames,
    categories,
    ...(subresources.length > 0 && {
      subresources: subresources.map(part => ({
        subresource: part.name,
        responseKind: part.of ?? responseKind,
        verbs: part.verbs,
      })),
    }),
  }
}
