import type { Release } from '../../engines/helm/release/release.ts'
import {
  decodeRelease,
  encodeRelease,
  InvalidRelease,
  requireStorable,
  SECRET_TYPE,
  secretLabels,
  secretName,
} from '../../engines/helm/release/stored-release.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { type ClusterClient, ClusterError } from '../client/client.ts'
import { annotationOf, type Ended, PROGRESS_ANNOTATION, type Progress, readAnnotation } from './progress.ts'

/** A version of a release, with the progress of the action that works on it, if any. */
export interface StoredRelease {
  readonly release: Release
  readonly progress?: Progress | undefined
  /** The result of the action that wrote it last. */
  readonly ended?: Ended | undefined
}

export interface WrittenRelease extends StoredRelease {
  /** What a history shows of it now, from the cluster's response. Throws InvalidRelease. */
  readBack(): StoredRelease | undefined
}

/** Helm's storage of releases. Fails with ClusterError, and with InvalidRelease for invalid data. */
export interface ReleaseStorage {
  /** All versions, newest first. */
  history(name: string): Promise<readonly StoredRelease[]>
  /** Adds a version, after deleting the `obsolete` ones. Fails with `alreadyExists`. */
  create(release: Release, progress: Progress | undefined, obsolete?: readonly Release[]): Promise<WrittenRelease>
  /** Replaces a version; without progress, no action works on it any more. */
  update(release: Release, state?: Progress | Ended): Promise<WrittenRelease>
  remove(release: Release): Promise<void>
}

const SYSTEM_LABELS = ['name', 'owner', 'status', 'version']

/** Stores releases in the Secrets of a namespace, like Helm's own driver: an unmodified helm can continue with them. */
export const releaseStorage = (
  cluster: ClusterClient,
  namespace: string,
  clock: Pick<Clock, 'now'>,
  { fieldManager = 'helm-controller', signal }: { readonly fieldManager?: string; readonly signal?: AbortSignal } = {},
): ReleaseStorage => {
  const refOf = (release: Release) => ({ group: '', kind: 'Secret', namespace, name: secretName(release) })
  const history = async (name: string) => {
    const { items } = await cluster.list(
      { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: `name=${name},owner=helm` },
      { signal },
    )
    return items
      .map(readRelease)
      .filter(stored => stored !== undefined)
      .sort((a, b) => b.release.version - a.release.version)
  }
  const remove = async (release: Release) => {
    await cluster.delete('v1', refOf(release), { propagation: 'Background', signal })
  }

  return {
    history,
    create: async (release, progress, outlived = []) => {
      const encoded = encodeRelease(release)
      requireStorable(release, encoded)
      for (const old of outlived) await remove(old)
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          ...{ name: secretName(release), namespace },
          labels: { ...secretLabels(release), createdAt: seconds(clock) },
          ...(progress && { annotations: { [PROGRESS_ANNOTATION]: annotationOf(progress, sha256Digest(encoded)) } }),
        },
        type: SECRET_TYPE,
        data: { release: Buffer.from(encoded).toString('base64') },
      }
      const written = await cluster
        .create(secret, { fieldManager, signal })
        .catch(asHelmError('create: failed to create'))
      return { release, progress, readBack: () => readRelease(written) }
    },
    update: async (release, state) => {
      const labels = { createdAt: null, ...secretLabels(release), modifiedAt: seconds(clock) }
      const encoded = encodeRelease(release)
      const annotation = state ? annotationOf(state, sha256Digest(encoded)) : null
      const patch = {
        metadata: { labels, annotations: { [PROGRESS_ANNOTATION]: annotation } },
        data: { release: Buffer.from(encoded).toString('base64') },
      }
      const written = await cluster
        .patch('v1', refOf(release), { type: 'merge', patch }, { fieldManager, signal })
        .catch(asHelmError('update: failed to update'))
      const stored = { release, ...(state && ('hasEnded' in state ? { ended: state } : { progress: state })) }
      return { ...stored, readBack: () => readRelease(written) }
    },
    remove,
  }
}

/** Prefixes errors like Helm's driver. */
const asHelmError =
  (what: string) =>
  (error: unknown): never => {
    if (!(error instanceof ClusterError) || isTransient(error)) throw error
    if (error.code === 'alreadyExists') throw new ClusterError(error.code, 'release: already exists', { cause: error })
    throw new ClusterError(error.code, `${what}: ${error.message}`, { ...error, cause: error })
  }

const seconds = (clock: Pick<Clock, 'now'>): string => String(Math.floor(clock.now() / 1000))

/** Undefined if the Secret holds something else. Throws InvalidRelease. */
export const readRelease = (secret: KubernetesObject): StoredRelease | undefined => {
  if (secret.type !== SECRET_TYPE) return undefined
  const { name, labels = {}, annotations } = secret.metadata
  const data = (secret.data as Readonly<Record<string, string>> | undefined)?.release ?? ''
  const encoded = Buffer.from(data, 'base64').toString('utf8')
  const state = readAnnotation(annotations?.[PROGRESS_ANNOTATION], sha256Digest(encoded))
  try {
    const release = decodeRelease(encoded)
    // Helm's driver keeps the times of a release that it has read; for our own unfinished ones, that is the first write.
    const left = state.progress ? [...SYSTEM_LABELS, 'createdAt'] : SYSTEM_LABELS
    const kept = Object.fromEntries(Object.entries(labels).filter(([label]) => !left.includes(label)))
    return { release: { ...release, labels: kept }, ...state }
  } catch (error) {
    if (error instanceof InvalidRelease)
      throw new InvalidRelease(`Secret ${secret.metadata.namespace}/${name} ${error.message}`, error)
    throw error
  }
}

/** Whether a failure is not about the release: the next pass continues where this one stopped. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ClusterError && (error.code === 'unreachable' || error.code === 'throttled')
