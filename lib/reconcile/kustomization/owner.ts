import type { Owner } from '../../clusters/apply/owner.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'

/** The owner of a Kustomization's objects. */
export const ownerOf = ({ metadata }: Kustomization): Owner => ({
  group: 'kustomize.toolkit.fluxcd.io',
  namespace: metadata.namespace ?? '',
  name: metadata.name,
})
