import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { dataName } from '../../hub/runners/data-of-sets.ts'
import type { Copy } from '../../hub/runners/protocol.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { DataReader } from '../resource-set/target-cluster.ts'

/** In a runner, the data that a ResourceSet copies: what the hub has handed out for this set. What it has for other units counts as missing. */
export const dataOfHub = (local: Pick<Hub, 'get'>, copy: () => Pick<Copy, 'data'>, set: ResourceSet): DataReader => ({
  get: async (_, ref) => {
    const { kind, namespace, name } = ref
    const allowed = copy().data?.[refKey(refOf(set))] ?? []
    const isAllowed = allowed.includes(dataName({ kind, metadata: { namespace, name } }))
    return isAllowed ? local.get<KubernetesObject>(ref) : undefined
  },
})
