import { scalarNode } from '../../yaml/node.ts'
import { applyFieldSpec, type FieldSpec } from '../field-spec.ts'
import { setScalar } from '../node-path.ts'
import type { Resource, ResourceChange } from '../resource.ts'
import { isSelected, type ResourceId } from '../resource-id.ts'

/** Kinds whose names have a meaning of their own. */
const keepsItsName = ({ kind, group }: ResourceId): boolean =>
  kind === 'CustomResourceDefinition' ||
  kind === 'Namespace' ||
  (kind === 'APIService' && group === 'apiregistration.k8s.io')

/** Adds a prefix or suffix to names, and records the names without it. */
export const addAffix =
  (where: 'prefix' | 'suffix', affix: string, specs: readonly FieldSpec[]): ResourceChange =>
  resource => {
    const id = resource.originalId()
    if (keepsItsName(id)) return
    for (const spec of specs) {
      if (!isSelected(id, spec)) continue
      if (spec.path === 'metadata/name' && affix !== '') {
        resource.remember(
          where === 'prefix'
            ? { prefixes: [...resource.prefixes, affix] }
            : { suffixes: [...resource.suffixes, affix] },
        )
        resource.storePreviousId()
      }
      affixField(resource, where, affix, spec)
    }
  }

/** Adds the prefix or suffix to the text at one field. */
export const affixField = (resource: Resource, where: 'prefix' | 'suffix', affix: string, spec: FieldSpec): void =>
  applyFieldSpec(
    resource,
    spec,
    node => setScalar(node, scalarNode(where === 'prefix' ? affix + node.value : node.value + affix)),
    { createKind: 'scalar' },
  )
