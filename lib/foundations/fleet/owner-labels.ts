/** Which unit an object on a cluster says that it belongs to, by its labels. */
import type { KubernetesObject } from '../kinds/object.ts'
import { helmGroup, kustomizeGroup } from '../kinds/references.ts'

/** The kinds of units by the prefix of their labels. */
export const ownerGroups = [
  [kustomizeGroup, 'Kustomization'],
  [helmGroup, 'HelmRelease'],
  ['resourceset.fluxcd.controlplane.io', 'ResourceSet'],
] as const

export interface ObjectOwner {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** `Kind/namespace/name`. */
  readonly unit: string
}

/** The unit that an object's labels name; of several, the one that wrote it first in Flux's order of kinds. */
export const ownerOn = ({ metadata: { labels = {} } }: KubernetesObject): ObjectOwner | undefined => {
  for (const [group, kind] of ownerGroups) {
    const { [`${group}/name`]: name, [`${group}/namespace`]: namespace } = labels
    if (name && namespace) return { kind, namespace, name, unit: `${kind}/${namespace}/${name}` }
  }
  return undefined
}
