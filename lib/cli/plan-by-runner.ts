import { ClusterError } from '../clusters/client/client.ts'
import { type KubernetesObject, refOf } from '../foundations/kinds/object.ts'
import type { PreviewedPlan } from '../foundations/kinds/plan.ts'
import { isRunnerAccess, ownAccess } from '../foundations/rules/runner-access.ts'
import { followOrder } from '../hub-client/follow-order.ts'
import { CommandFailed } from './command-failed.ts'
import type { HubAccess } from './hub-access.ts'
import { isRevision } from './plan-kustomization.ts'

/** Whether a runner applies a unit, as only that reaches the cluster. */
export const isOfRunner = async (unit: KubernetesObject, { cluster, signal }: HubAccess): Promise<boolean> => {
  const access = ownAccess(unit)
  if (access?.kind !== 'ConfigMap') return false
  const isRunner = cluster.get('v1', { group: '', ...access }, { signal }).then(isRunnerAccess)
  // A plan of a runner needs no right to read it: the hub knows.
  return isRunner.catch(error => {
    if (error instanceof ClusterError && error.status === 403) return true
    throw error
  })
}

interface Options {
  readonly revision?: string | undefined
  /** Flags that a runner does not know, of those that were given. */
  readonly refused: readonly string[]
}

/**
 * What applying a unit of a runner would change: the hub leaves an order, and the runner plans what the hub has. Fails with CommandFailed if there are
 * local files or flags of a local build, another revision is wanted, or the runner does not respond; with a ClusterError if the hub refuses.
 */
export const planByRunner = async (
  unit: KubernetesObject,
  hub: HubAccess,
  options: Options,
): Promise<PreviewedPlan> => {
  const { kind, namespace, name } = refOf(unit)
  const [flag] = options.refused
  if (flag !== undefined)
    throw new CommandFailed(
      `${kind}/${name} is applied by a runner, which plans what the hub has fetched: ${flag} does not go with it, as the runner would act on files that nobody has pushed`,
      { exitCode: 2 },
    )
  const { plan } = await followOrder<{ readonly plan: PreviewedPlan }>(more => {
    const query = new URLSearchParams({ unit: `${kind}/${namespace}/${name}`, ...more })
    return hub.cluster.document!(`/fleet/live/plan?${query}`, { signal: hub.signal })
  }, hub.signal)
  return atRevision(plan, options.revision)
}

const atRevision = (plan: PreviewedPlan, wanted: string | undefined): PreviewedPlan => {
  const { revision = '' } = plan.spec
  if (wanted === undefined || isRevision(revision, wanted)) return plan
  throw new CommandFailed(`the runner has planned revision ${revision}, not ${wanted}`, { exitCode: 2 })
}
