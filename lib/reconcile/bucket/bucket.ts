import type { Artifact } from '../../kinds/artifact.ts'
import { type Bucket, bucket } from '../../kinds/bucket.ts'
import { intervalOf, requestedAtOf } from '../../kinds/flux.ts'
import { timeoutOf } from '../../kinds/source-fields.ts'
import type { ArtifactStore } from '../../ports/artifacts.ts'
import type { Clock } from '../../ports/clock.ts'
import { isConditionTrue } from '../../rules/conditions.ts'
import { archive } from '../../source/artifact/archive.ts'
import type { SourceTree } from '../../source/artifact/source-tree.ts'
import { BucketError, type BucketStore } from '../../source/bucket/bucket-store.ts'
import { digestOf, fetchObjects, type IndexedBucket, indexBucket } from '../../source/bucket/fetch-objects.ts'
import { outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, NewEvent, Pass, Reconciler } from '../runtime/reconciler.ts'
import {
  findStored,
  latestUrlOf,
  type StorageSettings,
  storeArtifact,
  withCurrentUrl,
} from '../source-artifact/artifact-storage.ts'
import { finalizeSource, tidyUp } from '../source-artifact/garbage.ts'
import { succeeded } from '../source-artifact/succeeded.ts'
import { fetchFailed, storageFailed } from './halts.ts'
import { openStore, type StorePorts } from './open-store.ts'

export interface BucketPorts extends StorePorts {
  readonly artifacts: ArtifactStore
  readonly clock: Clock
}

type BucketPass = Pass<Bucket>

/** Keeps an artifact of the objects of a bucket, as source-controller does. */
export const bucketReconciler = (ports: BucketPorts, settings: StorageSettings): Reconciler<Bucket> => ({
  kind: bucket,
  stage: 'source',
  manager: 'source-controller',
  intervalOf,
  passTimeoutOf: object => 2 * timeoutOf(object) + 30_000,
  reconcile: (object, pass) => attempt(object, pass, ports, settings).catch(outcomeOfHalt),
  finalize: (object, pass) => finalizeSource(object, pass, ports.artifacts),
})

const attempt = async (
  object: Bucket,
  pass: BucketPass,
  ports: BucketPorts,
  settings: StorageSettings,
): Promise<Done<Bucket>> => {
  await pass.open()
  const before = await findStored(object, pass, ports.artifacts)
  // As in Flux, listing and fetching may each take as long as the timeout.
  const signal = AbortSignal.any([pass.signal, AbortSignal.timeout(2 * timeoutOf(object))])
  const store = await openStore(object, signal, ports)
  try {
    const listed = await listObjects(object, store, pass)
    if (before?.revision === digestOf(listed.index)) {
      return unchanged(object, withCurrentUrl(before, settings), listed.index.size, pass, settings)
    }
    const { tree, index } = await fetchObjects(store, listed).catch(failing(pass, fetchFrom(object)))
    const revision = digestOf(index)
    await noticeNewRevision(revision, before, pass)
    const artifact = await pack(object, tree, revision, ports, settings)
    if (artifact.digest !== before?.digest) pass.event(filesStored('NewArtifact', object, index.size, artifact))
    else noticeRecovery(object, artifact, index.size, pass)
    await tidyUp(object, artifact, pass, ports, settings)
    return stored(object, artifact, before, settings)
  } finally {
    await store.close()
  }
}

const fetchFrom = ({ spec }: Bucket): string => `fetch from bucket '${spec.bucketName}' failed`

const listObjects = async ({ spec }: Bucket, store: BucketStore, pass: BucketPass): Promise<IndexedBucket> => {
  const { bucketName, prefix = '', ignore } = spec
  const exists = await store.exists().catch(failing(pass, `failed to confirm existence of '${bucketName}' bucket`))
  if (!exists) throw fetchFailed('BucketOperationFailed', `bucket '${bucketName}' not found`)
  return indexBucket(store, prefix, ignore).catch(
    failing(pass, `indexation of objects from bucket '${bucketName}' failed`),
  )
}

const failing = (pass: BucketPass, what: string) => (error: unknown) => {
  pass.signal.throwIfAborted()
  if (!(error instanceof BucketError)) throw error
  throw fetchFailed('BucketOperationFailed', `${what}: ${error.message}`, error)
}

const noticeNewRevision = async (revision: string, before: Artifact | undefined, pass: BucketPass) => {
  const message = `new upstream revision '${revision}'`
  const ArtifactOutdated = { status: 'True', reason: 'NewRevision', message } as const
  await pass.progress(`building artifact: ${message}`, {
    fleeting: true,
    conditions: { FetchFailed: null, ArtifactOutdated: before ? ArtifactOutdated : null },
  })
}

/** Everything that was fetched: what is ignored was not. */
const pack = async (
  object: Bucket,
  tree: SourceTree,
  revision: string,
  ports: BucketPorts,
  settings: StorageSettings,
): Promise<Artifact> => {
  const packed = await archive(tree, () => false)
  const file = `${revision.slice('sha256:'.length)}.tar.gz`
  return storeArtifact(object, { ...packed, file, revision }, ports, settings).catch(error => {
    throw storageFailed(error)
  })
}

const filesStored = (
  reason: 'NewArtifact' | 'Succeeded',
  { spec }: Bucket,
  files: number,
  { revision, digest }: Artifact,
): NewEvent => ({
  severity: 'info',
  reason,
  message: `stored artifact with ${files} fetched files from '${spec.bucketName}' bucket`,
  metadata: { 'source.toolkit.fluxcd.io/revision': revision, 'source.toolkit.fluxcd.io/digest': digest },
})

/** People are told of it when they asked or changed the spec, but not every interval anew: that would cost a write. */
const unchanged = (
  object: Bucket,
  artifact: Artifact,
  files: number,
  pass: BucketPass,
  settings: StorageSettings,
): Done<Bucket> => {
  const { metadata, status, spec } = object
  const isNew = metadata.generation !== status?.observedGeneration
  const isAsked = requestedAtOf(object) !== status?.lastHandledReconcileAt
  const message = `artifact up-to-date with remote revision: '${artifact.revision}'`
  if (isNew || isAsked) pass.event({ severity: 'info', reason: 'ArtifactUpToDate', message, quiet: true })
  noticeRecovery(object, artifact, files, pass)
  return {
    ...succeeded(artifact),
    status: { artifact, url: latestUrlOf(object, 'latest.tar.gz', settings), observedIgnore: spec.ignore ?? null },
  }
}

const noticeRecovery = (object: Bucket, artifact: Artifact, files: number, pass: BucketPass): void => {
  const failures = ['FetchFailed', 'StorageOperationFailed']
  const hadFailed = failures.some(type => isConditionTrue(object.status?.conditions, type))
  if (hadFailed) pass.event(filesStored('Succeeded', object, files, artifact))
}

const stored = (
  object: Bucket,
  artifact: Artifact,
  before: Artifact | undefined,
  settings: StorageSettings,
): Done<Bucket> => ({
  ...succeeded(artifact),
  status: {
    artifact,
    url: latestUrlOf(object, 'latest.tar.gz', settings),
    observedIgnore: object.spec.ignore ?? null,
  },
  ...((artifact.digest !== before?.digest || artifact.revision !== before.revision) && { announce: 'artifact' }),
})
