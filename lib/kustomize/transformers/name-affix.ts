import { scalarNode } from '../../yaml/node.ts'
import { applyFieldSpec, type FieldSpec } from '../field-spec.ts'
import { setScalar } from '../node-path.ts'
import type { Resource } from '../resource.ts'
import { isSelected, type ResourceId } from '../resource-id.ts'

/** Kinds whose names mean something by themselves. */
const keepsItsName = ({ kind, group }: ResourceId): boolean =>
  kind === 'CustomResourceDefinition' ||
  kind === 'Namespace' ||
  (kind === 'APIService' && group === 'apiregistration.k8s.io')

/** Puts a prefix or suffix on names, and remembers the names without. */
export const addAffix = (
  resources: readonly Resource[],
  where: 'prefix' | 'suffix',
  affix: string,
  specs: readonly FieldSpec[],
): void => {
  for (const resource of resources) {
    const id = resource.originalId()
    if (keepsItsName(id)) continue
    for (const spec of specs) {
      if (!isSelected(id, spec)) continue
      if (spec.path === 'metadata/name' && affix !== '') {
        const list = where === 'prefix' ? resource.prefixes : resource.suffixes
        list.push(affix)
        resource.storePreviousId()
      }
      affixField(resource, where, affix, spec)
    }
  }
}

/** Puts the prefix or suffix on the texts at one place. */
export const affixField = (resource: Resource, where: 'prefix' | 'suffix', affix: string, spec: FieldSpec): void =>
  applyFieldSpec(
    resource,
    spec,
    node => setScalar(node, scalarNode(where === 'prefix' ? affix + node.value : node.value + affix)),
    { createKind: 'scalar', createTag: '!!str' },
  )
