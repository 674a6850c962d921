import type { Owner } from '../../clusters/apply/owner.ts'
import { operatorGroup } from '../../foundations/kinds/flux-operator.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'

/** The owner of a ResourceSet's objects. */
export const ownerOf = ({ metadata }: ResourceSet): Owner => ({
  group: operatorGroup,
  labelGroup: `resourceset.${operatorGroup}`,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
})
