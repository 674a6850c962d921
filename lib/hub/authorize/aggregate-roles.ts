import { refOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { Hub } from '../store/hub.ts'
import type { Policy } from './policy.ts'

/**
 * Writes the aggregated rules into ClusterRoles with an aggregationRule, for readers: the authorizer itself does not wait for it.
 * Level-triggered: call it after ClusterRoles change, and periodically.
 */
export const aggregateRoles = async (hub: Pick<Hub, 'patch'>, policy: Policy): Promise<void> => {
  for (const { role, rules } of policy.aggregated()) {
    if (isSameJson(role.rules ?? [], rules)) continue
    const { apiVersion, kind, metadata } = role
    await hub.patch(
      refOf(role),
      { type: 'apply', object: { apiVersion, kind, metadata: { name: metadata.name }, rules } },
      { fieldManager: 'clusterrole-aggregation-controller', force: true },
    )
  }
}
