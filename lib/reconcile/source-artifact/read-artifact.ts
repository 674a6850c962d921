import { createHash } from 'node:crypto'
import { type Artifact, blobNameOf, sourceOf } from '../../foundations/kinds/artifact.ts'
import { type ExternalArtifact, externalArtifact, generatorOf } from '../../foundations/kinds/external-artifact.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { rolloutRun } from '../../foundations/kinds/rollout-run.ts'
import type { References } from '../../hub/references/references.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Queue } from '../../platform/ports/queue.ts'
import type { Schedule } from '../../platform/ports/schedule.ts'

export interface ReadPorts {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'delete'>
  readonly refetch: Refetch
}

/** Enqueues a source at once, because its artifact could not be read. */
export type Refetch = (source: ObjectRef) => Promise<void>

/**
 * The content of a stored artifact; undefined if it is missing. Fails if it does not match its digest. In both cases
 * the source is enqueued to fetch it again, and enqueues its dependents afterwards. Every read of a source's artifact
 * must use this function.
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
    // Blobs are written once: a damaged one must be deleted before it can be stored again.
    await artifacts.delete(blobNameOf(artifact))
    await refetch(sourceOf(artifact))
    throw damage
  }
}

/** Content that does not match its digest, with kustomize-controller's message. */
export class OtherDigest extends Error {}

/** Throws OtherDigest if the content does not match the digest. */
export const requireDigest = (content: Uint8Array, digest: string): void => {
  const [algorithm = '', expected] = digest.split(':')
  const found = createHash(algorithm).update(content).digest('hex')
  if (found !== expected)
    throw new OtherDigest(
      `failed to verify artifact: computed digest '${algorithm}:${found}' doesn't match '${digest}'`,
    )
}

interface RefetchPorts {
  readonly references: Pick<References, 'local'>
  readonly schedule: Pick<Schedule, 'setDue'>
  readonly queue: Queue
  readonly clock: Pick<Clock, 'now'>
}

const generatorBehind = async ({ namespace, name }: ObjectRef, references: Pick<References, 'local'>) => {
  const output = await references.local<ExternalArtifact>({ metadata: { namespace } }, externalArtifact, name)
  return output && generatorOf(output)
}

/**
 * If the message is lost, the due time still triggers the pass. An ExternalArtifact has none: its generator makes it again. What a RolloutRun
 * keeps, nobody makes again: its units fail until they get another pin.
 */
export const refetchThrough =
  ({ references, schedule, queue, clock }: RefetchPorts): Refetch =>
  async source => {
    if (source.kind === rolloutRun.kind) return
    const ref = source.kind === externalArtifact.kind ? await generatorBehind(source, references) : source
    if (!ref) return
    await schedule.setDue(ref, clock.now())
    await queue.send([{ stage: 'source', ref }])
  }
