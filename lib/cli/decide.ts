import { approvalOf } from '../foundations/fleet/decision.ts'
import type { Approval } from '../foundations/kinds/approval.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import type { HubAccess } from './hub-access.ts'

/** Stores a decision about an object, with which it goes. The first characters of its name are `prefix`. */
export const decide = async (
  { cluster, signal }: HubAccess,
  about: KubernetesObject,
  spec: Approval['spec'],
  prefix: string,
): Promise<void> => {
  await cluster.create(approvalOf(about, spec, prefix), { fieldManager: 'keelson', signal })
}
