import type { Owner } from '../../clusters/apply/owner.ts'
import { operatorGroup } from '../../foundations/kinds/flux-operator.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'

/** Whose objects those of a ResourceSet are. */
export const ownerOf = ({ metadata }: ResourceSet): Owner => ({
  group: operatorGroup,
  labelGroup: `resourceset.${operatorGroup}`,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
})
