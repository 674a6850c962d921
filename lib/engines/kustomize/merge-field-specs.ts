import { DEFAULT_FIELD_SPECS, type FieldSpecs, type NameReference, NO_FIELD_SPECS } from './default-field-specs.ts'
import type { FieldSpec } from './field-spec.ts'
import { KustomizeError, wrapping } from './kustomize-error.ts'
import { compareGvk, gvkEquals, isSelected } from './resource-id.ts'

/**
 * Merges both sets, sorted by kind, without duplicates. A spec for some kinds suppresses a later one for all kinds at the same path, so that
 * configurations can narrow the defaults. A path that only one of them creates is a conflict.
 */
export const mergeFieldSpecs = (own: FieldSpecs, added: FieldSpecs): FieldSpecs => {
  if (own === added || added === NO_FIELD_SPECS) return own
  if (own === NO_FIELD_SPECS && added === DEFAULT_FIELD_SPECS) return added
  const merged = Object.keys(NO_FIELD_SPECS).map(key => {
    const name = key as keyof FieldSpecs
    const shown = name === 'namespace' ? 'NameSpace' : `${name[0]!.toUpperCase()}${name.slice(1)}`
    return wrapping(`failed to merge ${shown} fieldSpec`, () =>
      name === 'nameReference'
        ? [name, mergeReferences(own.nameReference, added.nameReference)]
        : [name, [...mergeSpecs(own[name], added[name])].sort(compareGvk)],
    )
  })
  return Object.fromEntries(merged) as unknown as FieldSpecs
}

/**
 * Own field specs, then the added ones that none of them covers. Throws KustomizeError when two of the same field
 * disagree about `create`.
 */
export const mergeSpecs = (own: readonly FieldSpec[], added: readonly FieldSpec[]): readonly FieldSpec[] => {
  if (own === added || added.length === 0) return own
  const merged = [...own]
  for (const spec of added) {
    const same = merged.find(other => other.path === spec.path && isSelected(other, spec))
    if (!same) merged.push(spec)
    else if (same.create !== spec.create) throw new KustomizeError('conflicting fieldspecs', { field: spec.path })
  }
  return merged
}

const mergeReferences = (own: readonly NameReference[], added: readonly NameReference[]): readonly NameReference[] => {
  const merged = [...own]
  for (const reference of added) {
    const same = merged.find(other => gvkEquals(other, reference))
    if (!same) merged.push(reference)
    else merged[merged.indexOf(same)] = { ...same, referrers: mergeSpecs(same.referrers, reference.referrers) }
  }
  return merged.sort(compareGvk)
}
