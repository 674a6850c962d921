import { policies } from '../../clusters/apply/policies.ts'
import type { ClusterClient } from '../../clusters/client/client.ts'
import { operatorGroup } from '../../foundations/kinds/flux-operator.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import type { Clock } from '../../platform/ports/clock.ts'

const annotation = `${operatorGroup}/recreateOnFailure`
const maxWaitMs = 5_000
const pauseMs = 100

/** Deletes failed Jobs that opt into recreation, even those that are never pruned (RS-098). */
export const recreateFailedJobs = async (
  cluster: ClusterClient,
  objects: readonly KubernetesObject[],
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  signal: AbortSignal,
): Promise<void> => {
  await Promise.all(
    (await failedJobs(cluster, objects, signal)).map(async ({ job, live }) => {
      const ref = refOf(job)
      await cluster.delete(job.apiVersion, ref, { propagation: 'Background', uid: live.metadata.uid, signal })
      for (
        const giveUpAt = clock.monotonic() + maxWaitMs;
        clock.monotonic() < giveUpAt;
        await clock.sleep(pauseMs, signal)
      )
        if (!(await cluster.get(job.apiVersion, ref, { metadataOnly: true, signal }))) return
    }),
  )
}

/** The Jobs among these objects that opt into recreation and have failed, with what is on the cluster. */
export const failedJobs = async (
  cluster: ClusterClient,
  objects: readonly KubernetesObject[],
  signal: AbortSignal,
): Promise<readonly { readonly job: KubernetesObject; readonly live: KubernetesObject }[]> => {
  const { isExcluded } = policies(operatorGroup)
  const jobs = objects.filter(
    ({ kind, apiVersion, metadata }) =>
      kind === 'Job' &&
      apiVersion.startsWith('batch/') &&
      metadata.annotations?.[annotation]?.toLowerCase() === 'enabled',
  )
  const found = await Promise.all(
    jobs.map(async job => ({ job, live: await cluster.get(job.apiVersion, refOf(job), { signal }) })),
  )
  return found.flatMap(({ job, live }) => (live && !isExcluded(live) && hasFailed(live) ? [{ job, live }] : []))
}

const hasFailed = ({ status }: KubernetesObject): boolean =>
  isConditionTrue((status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions, 'Failed')
