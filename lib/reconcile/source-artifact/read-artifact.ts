import { createHash } from 'node:crypto'
import { type Artifact, blobNameOf, sourceOf } from '../../foundations/kinds/artifact.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Queue } from '../../platform/ports/queue.ts'
import type { Schedule } from '../../platform/ports/schedule.ts'

export interface ReadPorts {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'delete'>
  readonly refetch: Refetch
}

/** Has a source look at once: whoever wanted its artifact did not find it. */
export type Refetch = (source: ObjectRef) => Promise<void>

/**
 * The content of a stored artifact; undefined when it is gone, and an error when it is not what its digest says. Either way its source
 * fetches it anew at once, and then tells those who wait for it. Every read of a source's artifact from the store goes through here.
 */
export const readArtifact = async (
  { artifacts, refetch }: ReadPorts,
  artifact: Pick<Artifact, 'path' | 'digest'>,
): Promise<Uint8Array | undefined> => {
  const content = await artifacts.get(blobNameOf(artifact))
  if (!content) {
    await refetch(sourceOf(artifact))
    return undefined
  }
  try {
    requireDigest(content, artifact.digest)
    return content
  } catch (damage) {
    // Blobs are written once: what is damaged would stay as long as its name is taken.
    await artifacts.delete(blobNameOf(artifact))
    await refetch(sourceOf(artifact))
    throw damage
  }
}

/** Fails, in kustomize-controller's words, when a content is not what a digest says. */
export const requireDigest = (content: Uint8Array, digest: string): void => {
  const [algorithm = '', expected] = digest.split(':')
  const found = createHash(algorithm).update(content).digest('hex')
  if (found !== expected)
    throw new Error(`failed to verify artifact: computed digest '${algorithm}:${found}' doesn't match '${digest}'`)
}

/** Should the message get lost, the due time is the net. */
export const refetchThrough =
  ({
    schedule,
    queue,
    clock,
  }: {
    readonly schedule: Pick<Schedule, 'setDue'>
    readonly queue: Queue
    readonly clock: Pick<Clock, 'now'>
  }): Refetch =>
  async ref => {
    await schedule.setDue(ref, clock.now())
    await queue.send([{ stage: 'source', ref }])
  }
