import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { type Bucket, bucket } from '../../foundations/kinds/bucket.ts'
import { intervalOf } from '../../foundations/kinds/flux.ts'
import { timeoutOf } from '../../foundations/kinds/source-fields.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { archive } from '../../sources/artifact/archive.ts'
import type { SourceTree } from '../../sources/artifact/source-tree.ts'
import { BucketError, type BucketStore } from '../../sources/bucket/bucket-store.ts'
import { fetchObjects, type IndexedBucket, indexBucket, indexDigest } from '../../sources/bucket/fetch-objects.ts'
import type { Done, Pass, Reconciler } from '../runtime/reconciler.ts'
import { latestUrl, type StorageSettings, storeArtifact, withCurrentUrl } from '../source-artifact/artifact-storage.ts'
import { reportStored, upToDate, wasRequested } from '../source-artifact/events.ts'
import { tryCollectGarbage } from '../source-artifact/garbage.ts'
import {
  endDryRun,
  enqueueDependents,
  fetchFailed,
  noticeNewRevision,
  storageFailed,
  succeeded,
} from '../source-artifact/outcomes.ts'
import { type SourceContext, sourceReconciler } from '../source-artifact/source-reconciler.ts'
import { sourceVisit } from '../source-artifact/visits.ts'
import { openStore, type StorePorts } from './open-store.ts'

export interface BucketPorts extends StorePorts {
  readonly artifacts: ArtifactStore
  readonly clock: Clock
}

/** Stores an artifact with the objects of a bucket, as source-controller does. */
export const bucketReconciler = (ports: BucketPorts, settings: StorageSettings): Reconciler<Bucket> =>
  sourceReconciler(
    {
      kind: bucket,
      intervalOf,
      isVisited: true,
      visitOf: sourceVisit,
      passTimeoutOf: (object: Bucket) => 2 * timeoutOf(object) + 30_000,
      reconcileSource,
    },
    ports,
    settings,
  )

type BucketContext = SourceContext<Bucket, BucketPorts>

const reconcileSource = async (at: BucketContext): Promise<Done<Bucket>> => {
  const { object, pass, before, ports, settings } = at
  // As in Flux, the timeout applies separately to listing and downloading.
  const signal = AbortSignal.any([pass.signal, AbortSignal.timeout(2 * timeoutOf(object))])
  const store = await openStore(object, signal, ports)
  try {
    const listed = await listObjects(object, store, pass)
    if (before?.revision === indexDigest(listed.index)) return unchanged(at, before, listed.index.size)
    endDryRun(pass, 'the bucket has changed')
    const { tree, index } = await fetchObjects(store, listed).catch(
      failing(pass, `fetch from bucket '${object.spec.bucketName}' failed`),
    )
    const revision = indexDigest(index)
    await noticeNewRevision(pass, before, `new upstream revision '${revision}'`)
    const artifact = await pack(at, tree, revision)
    reportStored(object, pass, filesStored(object, index.size), { artifact, before })
    await tryCollectGarbage(object, artifact, pass, ports, settings)
    return { ...stored(at, artifact), ...enqueueDependents(artifact, before) }
  } finally {
    await store.close()
  }
}

const listObjects = async ({ spec }: Bucket, store: BucketStore, pass: Pass<Bucket>): Promise<IndexedBucket> => {
  const { bucketName, prefix = '', ignore } = spec
  const exists = await store.exists().catch(failing(pass, `failed to confirm existence of '${bucketName}' bucket`))
  if (!exists) throw fetchFailed('BucketOperationFailed', `bucket '${bucketName}' not found`)
  return indexBucket(store, prefix, ignore).catch(
    failing(pass, `indexation of objects from bucket '${bucketName}' failed`),
  )
}

const failing = (pass: Pass<Bucket>, what: string) => (error: unknown) => {
  pass.signal.throwIfAborted()
  if (!(error instanceof BucketError)) throw error
  throw fetchFailed('BucketOperationFailed', `${what}: ${error.message}`, error)
}

/** No ignore rules here: ignored objects were not downloaded. */
const pack = async (
  { object, ports, settings }: BucketContext,
  tree: SourceTree,
  revision: string,
): Promise<Artifact> => {
  const packed = await archive(tree, () => false)
  const file = `${revision.slice('sha256:'.length)}.tar.gz`
  return storeArtifact(object, { ...packed, file, revision }, ports, settings).catch(storageFailed('archive artifact'))
}

const filesStored = ({ spec }: Bucket, files: number): string =>
  `stored artifact with ${files} fetched files from '${spec.bucketName}' bucket`

const unchanged = (at: BucketContext, before: Artifact, files: number): Done<Bucket> => {
  const { object, pass, settings } = at
  const artifact = withCurrentUrl(before, settings)
  if (wasRequested(object)) pass.event(upToDate(artifact.revision))
  reportStored(object, pass, filesStored(object, files), { artifact, before })
  return stored(at, artifact)
}

const stored = ({ object, settings }: BucketContext, artifact: Artifact): Done<Bucket> => ({
  ...succeeded(`stored artifact: revision '${artifact.revision}'`),
  status: {
    artifact,
    url: latestUrl(object, 'latest.tar.gz', settings),
    observedIgnore: object.spec.ignore ?? null,
  },
})
