import { CelError } from '../../engines/cel/cel-error.ts'
import { jobCompletion } from '../../engines/kstatus/job.ts'
import { kstatus } from '../../engines/kstatus/kstatus.ts'
import { type KStatus, KStatusError } from '../../engines/kstatus/result.ts'
import { describeRef, type KubernetesObject, type ObjectRef, refKey } from '../../foundations/kinds/object.ts'
import { type ClusterClient, ClusterError } from '../client/client.ts'
import { type Observed, observe, type Target } from './observe.ts'
import type { Owner } from './owner.ts'
import { servedVersion } from './served-version.ts'

export interface Health {
  readonly ref: ObjectRef
  readonly status: KStatus['status']
  readonly message: string
  /** Why the status is Unknown. */
  readonly error?: string
}

export interface HealthOptions {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The owner of the objects, if they have the same one: then few lists contain them all. */
  readonly owner?: Owner
  /** Overrides kstatus for an object (health check expressions); undefined leaves it to kstatus. An error means Unknown. */
  readonly judge?: (object: KubernetesObject) => KStatus | undefined | Promise<KStatus | undefined>
  readonly signal?: AbortSignal
}

/**
 * Polls the status of objects once, without waiting. If the status of an object can't be determined, it is Unknown,
 * with the reason; an unreachable cluster is a ClusterError.
 */
export const checkHealth = async (
  cluster: ClusterClient,
  targets: readonly Target[],
  options: HealthOptions,
): Promise<readonly Health[]> => {
  const { owner, signal } = options
  const listed: Observed = owner ? await observe(cluster, targets, owner, { signal }) : new Map()
  return Promise.all(
    targets.map(async target => {
      const { ref } = target
      try {
        const object = listed.get(refKey(ref)) ?? (await read(cluster, target, signal))
        return object
          ? await healthOf(object, ref, options)
          : { ref, status: 'NotFound' as const, message: 'Resource not found' }
      } catch (error) {
        // A refusal affects one object; a missing response affects the whole cluster.
        if (!(error instanceof ClusterError) || error.code === 'unreachable') throw error
        return unknown(ref, error)
      }
    }),
  )
}

/** Health does not depend on the API version that an object is read in. */
const read = async (
  cluster: ClusterClient,
  { apiVersion, ref }: Target,
  signal: AbortSignal | undefined,
): Promise<KubernetesObject | undefined> => {
  const served = await servedVersion(cluster, apiVersion, ref, signal)
  if (!served) throw new ClusterError('noMatch', `no matches for kind "${ref.kind}" in group "${ref.group}"`)
  return cluster.get(served, ref, { signal })
}

/** `Deployment/apps/web status: 'InProgress'`, as in Flux's messages. */
export const describeHealth = ({ ref, status, error }: Health): string =>
  `${describeRef(ref)} status: '${status}'${error ? `: ${error}` : ''}`

/**
 * The health of an object that was read: by `judge` if it knows the kind, else by kstatus, where a Job counts when it
 * is complete. An object that can't be judged is `Unknown` with the error.
 */
export const healthOf = async (
  object: KubernetesObject,
  ref: ObjectRef,
  { now, judge }: Pick<HealthOptions, 'now' | 'judge'>,
): Promise<Health> => {
  try {
    const isJob = ref.kind === 'Job' && ref.group === 'batch'
    const { status, message } = (await judge?.(object)) ?? (isJob ? jobCompletion(object) : kstatus(object, now))
    return { ref, status, message }
  } catch (error) {
    if (judge || error instanceof KStatusError) return unknown(ref, error as Error)
    throw error
  }
}

const unknown = (ref: ObjectRef, error: Error): Health => ({
  ref,
  status: 'Unknown',
  message: '',
  // Not everyone who may read the unit may read the values in an expression's error.
  error: error instanceof CelError ? error.messageWithoutValues : error.message,
})
