import { isOff } from '../../foundations/fleet/object-state.ts'
import { cluster as clusterKind } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { isRunnerAccess, ownAccess } from '../../foundations/rules/runner-access.ts'
import { configMapKind, type References } from '../../hub/references/references.ts'
import { runnerUnitKinds } from '../../hub/runners/units.ts'
import type { IsElsewhere } from '../runtime/elsewhere.ts'

const kinds: ReadonlySet<string> = new Set([clusterKind, ...runnerUnitKinds].map(({ kind }) => kind))

/**
 * Whether the hub leaves an object to a runner: a Cluster or unit whose own access says so. A suspended unit that is deleted leaves its
 * objects alone, which needs no runner. Costs a read of the ConfigMap, if it names one.
 */
export const leftToRunner =
  (references: Pick<References, 'local'>): IsElsewhere =>
  async object => {
    const access = kinds.has(object.kind) ? ownAccess(object) : undefined
    if (access?.kind !== 'ConfigMap' || (object.metadata.deletionTimestamp && isOff(object))) return false
    return isRunnerAccess(await references.local<KubernetesObject>(object, configMapKind, access.name))
  }
