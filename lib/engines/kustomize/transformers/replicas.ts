import { scalarNode } from '../../yaml/node.ts'
import { applyFieldSpec, type FieldSpec } from '../field-spec.ts'
import type { ReplicaEntry } from '../kustomization.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { setScalar } from '../node-path.ts'
import type { MakeStep } from '../plugins/plugin.ts'
import type { Resource } from '../resource.ts'
import { gvkString, isSelected } from '../resource-id.ts'
import type { ResourceMap } from '../resource-map.ts'

/** Sets the number at one field. */
export const replicaField = (resource: Resource, count: number | bigint, spec: FieldSpec): void =>
  applyFieldSpec(resource, spec, node => setScalar(node, scalarNode(String(count))), {
    createKind: 'scalar',
  })

const hadId = (resource: Resource, name: string, spec: FieldSpec): boolean =>
  [...resource.previousIds(), resource.currentId()].some(id => id.name === name && isSelected(id, spec))

/** Sets the number of replicas of resources with that current or previous name. */
export const setReplicas = (
  map: ResourceMap,
  { name = '', count = 0 }: ReplicaEntry,
  specs: readonly FieldSpec[],
  step: MakeStep,
): void => {
  let found = false
  for (const spec of specs) {
    const set = step(['replicas', String(count), spec], resource => replicaField(resource, count, spec))
    for (const resource of map.named(name).filter(resource => hadId(resource, name, spec))) {
      found = true
      set(resource)
    }
  }
  if (!found)
    throw new KustomizeError(
      `resource with name ${name} does not match a config with the following GVK [${specs.map(gvkString).join(' ')}]`,
      { field: 'replicas' },
    )
}
