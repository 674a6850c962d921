import { apiVersionOf } from '../foundations/kinds/all.ts'
import { type Approval, approval as approvalKind } from '../foundations/kinds/approval.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import type { HubAccess } from './hub-access.ts'

export type Decision = NonNullable<Approval['spec']['decision']>

/** Stores a decision about an object, with which it goes. The first characters of its name are `prefix`. */
export const decide = async (
  { cluster, signal }: HubAccess,
  about: KubernetesObject,
  spec: Approval['spec'],
  prefix: string,
): Promise<void> => {
  const { apiVersion, kind, metadata } = about
  const approval: Approval = {
    apiVersion: apiVersionOf(approvalKind as unknown as Kind),
    kind: approvalKind.kind,
    metadata: {
      ...{ name: '', generateName: `${prefix.slice(0, 200)}-`, namespace: metadata.namespace },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }],
    },
    spec,
  }
  await cluster.create(approval, { fieldManager: 'keelson', signal })
}
