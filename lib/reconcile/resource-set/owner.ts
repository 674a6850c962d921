import type { Owner } from '../../apply/owner.ts'
import { operatorGroup } from '../../kinds/flux-operator.ts'
import type { ResourceSet } from '../../kinds/resource-set.ts'

/** Whose objects those of a ResourceSet are. */
export const ownerOf = ({ metadata }: ResourceSet): Owner => ({
  group: operatorGroup,
  labelGroup: `resourceset.${operatorGroup}`,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
})
