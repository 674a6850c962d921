import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { Artifact } from '../../../lib/foundations/kinds/artifact.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { readTar } from '../../../lib/sources/artifact/tar-reader.ts'
import type { Seen } from './stories.ts'

type Condition = Readonly<Record<'type' | 'status' | 'reason' | 'message', string>>

interface Observed extends KubernetesObject {
  readonly spec?: object
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly artifact?: Artifact
    readonly lastHandledReconcileAt?: string
    readonly [field: string]: unknown
  }
}

interface ObservedEvent {
  readonly involvedObject: { readonly kind?: string; readonly name?: string }
  readonly type?: string
  readonly reason?: string
  readonly message?: string
}

/**
 * What is recorded of a story after a step. The digest of an artifact differs between Go's gzip and zlib's, so the file name stands for it,
 * which is a checksum of the files: `sha256:<of 123.tar.gz>`. What is in the artifact is listed.
 *
 * @param digests of all artifacts so far, by digest
 */
export const seenOf = (
  objects: readonly Observed[],
  events: readonly ObservedEvent[],
  contents: ReadonlyMap<string, Uint8Array>,
  digests: Map<string, string>,
): Seen => {
  const generators = new Set(
    objects.flatMap(({ kind, metadata }) => (kind === 'ArtifactGenerator' ? [metadata.uid] : [])),
  )
  const isSeen = ({ kind, metadata }: Observed) => kind === 'ArtifactGenerator' || generators.has(generatorOf(metadata))
  const own = objects.filter(isSeen)
  const shown = own.map(object => [`${object.kind}/${object.metadata.name}`, objectSeen(object, contents)] as const)
  for (const { status } of own) {
    const { digest, path } = status?.artifact ?? {}
    if (digest && path) digests.set(digest, `sha256:<of ${path.split('/').at(-1)}>`)
  }
  const lines = events.map(
    ({ involvedObject, type, reason, message }) =>
      `${involvedObject.kind}/${involvedObject.name} ${type} ${reason}: ${message}`,
  )
  const text = JSON.stringify({
    objects: Object.fromEntries(shown.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    events: [...new Set(lines)].sort(),
  })
  return JSON.parse([...digests].reduce((replaced, [digest, name]) => replaced.replaceAll(digest, name), text))
}

const generatorOf = ({ labels }: KubernetesObject['metadata']) => labels?.['source.extensions.fluxcd.io/generator']

const objectSeen = ({ kind, metadata, spec, status = {} }: Observed, contents: ReadonlyMap<string, Uint8Array>) => {
  const { conditions = [], artifact, lastHandledReconcileAt, ...rest } = status
  const seen = {
    conditions: conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`).sort(),
    status: { ...rest, ...(lastHandledReconcileAt && { lastHandledReconcileAt: 'the request' }) },
  }
  if (kind === 'ArtifactGenerator') return { ...seen, finalizers: metadata.finalizers ?? [] }
  const { labels = {}, annotations = {} } = metadata
  const { digest, path, revision, metadata: about } = artifact!
  return {
    ...{ ...seen, spec, annotations },
    labels: { ...labels, 'source.extensions.fluxcd.io/generator': 'its uid' },
    artifact: { digest, path, revision, ...(about && { metadata: about }) },
    files: filesIn(contents.get(metadata.name)),
  }
}

/** The entries of a tar.gz: mode, name, and the beginning of the checksum of the content. */
const filesIn = (content: Uint8Array | undefined): readonly string[] =>
  content
    ? [...readTar(gunzipSync(content))].map(({ name, type, mode, content }) => {
        const sum = type === 'file' ? ` ${createHash('sha256').update(content).digest('hex').slice(0, 12)}` : '/'
        return `${(mode & 0o777).toString(8)} ${name}${sum}`
      })
    : []
