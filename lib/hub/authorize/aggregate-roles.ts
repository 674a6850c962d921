import { refOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { Hub } from '../store/hub.ts'
import type { Policy } from './policy.ts'

/**
 * Writes into ClusterRoles with an aggregationRule what they come to, for those who read them: the authorizer itself does not
 * wait for it. Level-triggered: to be called after ClusterRoles changed, and now and then.
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
