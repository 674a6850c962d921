import { bucket } from '../kinds/bucket.ts'
import { gitRepository } from '../kinds/git-repository.ts'
import { helmChart } from '../kinds/helm-chart.ts'
import { helmRepository } from '../kinds/helm-repository.ts'
import { type Kustomization, kustomization } from '../kinds/kustomization.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import { ociRepository } from '../kinds/oci-repository.ts'
import { receiver } from '../kinds/receiver.ts'
import { resourceSet } from '../kinds/resource-set.ts'
import { resourceSetInputProvider } from '../kinds/resource-set-input-provider.ts'
import { isSameJson } from '../kinds/same-json.ts'
import type { Addressed } from '../reconcile/runtime/reconciler.ts'

/**
 * What every process of a hub must know of all reconcilers, though it has few of them itself: where the messages for a kind
 * go, and whose news it waits for. A test compares it with the reconcilers; they are not imported here, as that would bring
 * their whole code into functions that never run it.
 */
export const addresses = ({ buildAhead }: { readonly buildAhead: boolean }): readonly Addressed[] => [
  { kind: gitRepository, stage: 'source' },
  { kind: ociRepository, stage: 'source' },
  { kind: bucket, stage: 'source' },
  { kind: helmRepository, stage: 'source' },
  { kind: helmChart, stage: 'source', reactsTo: ['HelmRepository', 'GitRepository', 'Bucket'] },
  {
    kind: kustomization,
    stage: 'apply',
    groupOf: object => {
      const { metadata, spec } = object as Kustomization
      const { secretRef, configMapRef } = spec.kubeConfig ?? {}
      return `${metadata.namespace}/${secretRef?.name ?? (configMapRef ? `configmap:${configMapRef.name}` : '')}`
    },
    reactsTo: ['GitRepository', 'OCIRepository', 'Bucket', 'ExternalArtifact', 'Kustomization', 'Secret', 'ConfigMap'],
    ...(buildAhead && { prepare: true }),
  },
  { kind: receiver, stage: 'notify', reactsTo: ['Secret'] },
  {
    kind: resourceSet,
    stage: 'resourceset',
    groupOf: ({ metadata }) =>
      `${metadata.namespace}/${metadata.annotations?.['resourceset.keelson.dev/kubeConfig'] ?? ''}`,
    reactsTo: ['ResourceSetInputProvider', 'ResourceSet', 'Kustomization', 'Secret', 'ConfigMap'],
    selects: ['ResourceSetInputProvider'],
  },
  {
    kind: resourceSetInputProvider,
    stage: 'resourceset',
    groupOf: ({ spec }) => URL.parse((spec as { url?: string }).url ?? '')?.host,
    reactsTo: ['Secret'],
    selects: ['Secret'],
    isNews: (before, after) =>
      before === undefined || after === undefined || !isSameJson(labels(before), labels(after)),
  },
]

const labels = ({ metadata }: KubernetesObject) => metadata.labels ?? {}
