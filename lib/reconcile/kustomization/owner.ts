import type { Owner } from '../../clusters/apply/owner.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'

/** Whose objects those of a Kustomization are. */
export const ownerOf = ({ metadata }: Kustomization): Owner => ({
  group: 'kustomize.toolkit.fluxcd.io',
  namespace: metadata.namespace ?? '',
  name: metadata.name,
})
