import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/** The owner of applied objects: labels on each object name it, and only objects with these labels are pruned. */
export interface Owner {
  /** Prefix of labels and annotations: `kustomize.toolkit.fluxcd.io`. */
  readonly group: string
  /** Prefix of the labels, if it differs. */
  readonly labelGroup?: string
  readonly namespace: string
  readonly name: string
}

/** The labels that name an owner, as Flux's controllers set and select them. */
export const ownerLabels = ({
  group,
  labelGroup = group,
  namespace,
  name,
}: Owner): Readonly<Record<string, string>> => ({
  [`${labelGroup}/name`]: name,
  [`${labelGroup}/namespace`]: namespace,
})

/** KS-276. */
export const withOwnerLabels = (object: KubernetesObject, owner: Owner): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...ownerLabels(owner) } },
})

export const isOwnedBy = (live: KubernetesObject, owner: Owner): boolean =>
  Object.entries(ownerLabels(owner)).every(([label, value]) => live.metadata.labels?.[label] === value)

/** Kubernetes selector syntax. */
export const ownerSelector = (owner: Owner): string =>
  Object.entries(ownerLabels(owner))
    .map(([label, value]) => `${label}=${value}`)
    .join(',')
