/** The output of a source: a tar.gz of files, at a revision, with a digest. */
import type { KubernetesObject, ObjectRef } from './object.ts'
import { fleetGroup, imageGroup, sourceGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { integer, map, object, optional, text } from './schema/schema.ts'

export const artifact = object('The files of a source at one revision.', {
  digest: text('Checksum of the file, as `<algorithm>:<hex>`.', {
    pattern: '^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+$',
  }),
  lastUpdateTime: text('Time at which it was stored.', { format: 'date-time' }),
  metadata: optional(map('Metadata from upstream, such as OCI annotations.', text('Value of the metadata.'))),
  path: text('Path of the artifact in the store.'),
  revision: text('Revision of the artifact, such as `main@sha1:...`.'),
  size: optional(integer('Length of the file in bytes.', { format: 'int64' })),
  url: text('URL of the artifact.'),
})

export type Artifact = TypeOf<typeof artifact>

/** Who made the content, as the OCI manifest says; undefined if it does not, and for other sources. */
export const authorOf = ({ metadata = {} }: Pick<Artifact, 'metadata'>): string | undefined =>
  metadata['org.opencontainers.image.authors'] || undefined

/**
 * Name of an artifact's blob in the store: in the folder of its path, which belongs to one object, and named by its digest, because a new
 * ignore rule creates another file for the same commit, and hence the same path.
 */
export const blobNameOf = ({ path, digest }: Pick<Artifact, 'path' | 'digest'>): string =>
  `${path.slice(0, path.lastIndexOf('/') + 1)}${digest.slice(digest.indexOf(':') + 1)}.tar.gz`

/** The folder of an object's artifacts in the store, and the path under which they are served. */
export const folderOf = ({ kind, metadata }: Pick<KubernetesObject, 'kind' | 'metadata'>): string =>
  `${kind.toLowerCase()}/${metadata.namespace}/${metadata.name}/`

/**
 * RolloutRuns have no artifacts of their own: they keep those that units are pinned to, under names of theirs. Those of ImageRepositories are lists
 * of tags.
 */
const sourceKinds = [
  'GitRepository',
  'OCIRepository',
  'Bucket',
  'HelmRepository',
  'HelmChart',
  'ExternalArtifact',
  'RolloutRun',
  'ImageRepository',
]

const otherGroups: Readonly<Record<string, string>> = { RolloutRun: fleetGroup, ImageRepository: imageGroup }

/** The folders of the artifact store that hold artifacts of sources. */
export const sourceFolders = sourceKinds.map(kind => kind.toLowerCase())

const artifactBlob = new RegExp(`^(?:${sourceFolders.join('|')})/[^/]+/[^/]+/([0-9a-f]{64,128})\\.(?:tar\\.gz|json)$`)

/** The checksum in the name of an artifact's blob (see `blobNameOf`), in hex; undefined for the name of anything else. */
export const checksumIn = (blobName: string): string | undefined => artifactBlob.exec(blobName)?.[1]

/** The source, or the RolloutRun, whose folder an artifact is in. */
export const sourceOf = ({ path }: Pick<Artifact, 'path'>): ObjectRef => {
  const [folder = '', namespace = '', name = ''] = path.split('/')
  const kind = sourceKinds.find(known => known.toLowerCase() === folder) ?? folder
  return { group: otherGroups[kind] ?? sourceGroup, kind, namespace, name }
}

/**
 * The artifact that an object may serve: the one in its status, if that is in the object's own folder. Anyone with rights on the status
 * subresource can write the status, so a path in another object's folder counts as no artifact: the source fetches again, and its users
 * wait. Every read of a source's artifact uses this function.
 */
export const artifactOf = (
  source: Pick<KubernetesObject, 'kind' | 'metadata'> & { readonly status?: unknown },
): Artifact | undefined => {
  const { artifact } = (source.status ?? {}) as { readonly artifact?: Artifact }
  if (!artifact) return undefined
  return isOwnFile(artifact, folderOf(source)) ? artifact : undefined
}

const isOwnFile = ({ path, digest }: Artifact, folder: string): boolean =>
  path.startsWith(folder) && !path.slice(folder.length).includes('/') && !digest.includes('/')
