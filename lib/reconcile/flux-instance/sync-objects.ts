import { type Owner, withOwnerLabels } from '../../clusters/apply/owner.ts'
import { patchedObjects } from '../../engines/kustomize/patched-objects.ts'
import type { JsonObject } from '../../engines/yaml/json-value.ts'
import type { Limits } from '../../foundations/budget/budget.ts'
import type { FluxInstance, InstanceSync } from '../../foundations/kinds/flux-instance.ts'
import { operatorGroup } from '../../foundations/kinds/flux-operator.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { kustomizeGroup, sourceGroup } from '../../foundations/kinds/references.ts'

/** The kinds of the objects of an instance: patches for other kinds do not apply. */
export const syncKinds: readonly string[] = ['GitRepository', 'OCIRepository', 'Bucket', 'Kustomization']

/**
 * The source and the Kustomization of `spec.sync`, with the instance's metadata and patches; none without a sync. Fails with kustomize's
 * message if a patch can't be applied.
 */
export const syncObjects = async (instance: FluxInstance, limits: Limits): Promise<readonly KubernetesObject[]> => {
  const { sync, kustomize, commonMetadata } = instance.spec
  if (!sync) return []
  const { namespace = '' } = instance.metadata
  const metadata = { name: sync.name ?? namespace, namespace, ...commonMetadata }
  const objects = [
    { apiVersion: `${sourceGroup}/v1`, kind: sync.kind, metadata, spec: sourceSpec(sync) },
    { apiVersion: `${kustomizeGroup}/v1`, kind: 'Kustomization', metadata, spec: kustomizationSpec(sync, metadata) },
  ].map(object => withOwnerLabels(object, ownerOf(instance)))
  const patches = (kustomize?.patches ?? []).filter(({ target }) => syncKinds.includes(target?.kind ?? ''))
  if (patches.length === 0) return objects
  return (await patchedObjects(
    objects as unknown as JsonObject[],
    { patches },
    limits,
  )) as unknown as KubernetesObject[]
}

/** The owner of the objects of an instance. */
export const ownerOf = ({ metadata }: FluxInstance): Owner => ({
  ...{ group: operatorGroup, namespace: metadata.namespace ?? '', name: metadata.name },
})

const sourceSpec = ({ kind, url, ref, pullSecret, provider, interval = '1m' }: InstanceSync): object => ({
  interval,
  ...(kind === 'GitRepository' && { url, ref: { name: ref } }),
  ...(kind === 'OCIRepository' && { url, ref: { tag: ref } }),
  ...(kind === 'Bucket' && { endpoint: url, bucketName: ref }),
  ...(pullSecret && { secretRef: { name: pullSecret } }),
  ...(provider && { provider }),
})

const kustomizationSpec = ({ kind, path }: InstanceSync, { name }: Pick<ObjectRef, 'name'>): object => ({
  interval: '10m',
  path,
  prune: true,
  sourceRef: { kind, name },
})
