import type { YamlNode } from '../../yaml/node.ts'
import { DEFAULT_FIELD_SPECS, type NameReference } from '../default-field-specs.ts'
import { applyFieldSpec, type FieldSpec } from '../field-spec.ts'
import { addPath, emptyTree, type FieldTree, visitTree } from '../field-tree.ts'
import { wrapError } from '../kustomize-error.ts'
import type { BuildMemory } from '../memory/build-memory.ts'
import type { DependencyTracker } from '../memory/step-memory.ts'
import type { Resource, ResourceChange } from '../resource.ts'
import { type Gvk, idString, isSelected, type ResourceId } from '../resource-id.ts'
import { Candidates, reachableFrom } from './candidates.ts'
import { type Lookup, Search } from './search.ts'

/** Fields of a resource that hold names of resources of a kind. */
interface Reference {
  readonly target: Gvk
  readonly spec: FieldSpec
}

/** All references that a kind may have: as a tree of fields, and separately those that don't fit in it. */
interface References {
  readonly all: readonly Reference[]
  readonly tree: FieldTree<Reference>
  readonly rest: readonly Reference[]
}

/** Updates references to resources by their earlier names to their current names. */
export const fixNameReferences = (
  resources: readonly Resource[],
  references: readonly NameReference[],
  memory: BuildMemory,
): void => {
  const candidates = new Candidates(resources)
  const byGvk = new Map<string, ResourceChange>()
  for (const resource of resources) {
    const id = resource.originalId()
    const key = `${id.group}|${id.version}|${id.kind}`
    let fix = byGvk.get(key)
    if (!fix) {
      fix = fixOf(id, references, candidates, memory)
      byGvk.set(key, fix)
    }
    fix(resource)
  }
}

/** How to fix the references of a kind. */
const fixOf = (
  { group, version, kind }: ResourceId,
  references: readonly NameReference[],
  candidates: Candidates,
  memory: BuildMemory,
): ResourceChange => {
  let own: References | undefined
  const isDefault = references === DEFAULT_FIELD_SPECS.nameReference
  return memory.dependentStep(['references', group, version, kind, isDefault ? 'default' : references], {
    make(resource, tracker) {
      own ??= referencesOf({ group, version, kind }, references)
      if (own.all.length > 0) fixReferencesOf(resource, own, candidates, tracker)
    },
    fingerprint: name => candidates.fingerprint(name),
  })
}

const referencesOf = (id: Gvk, references: readonly NameReference[]): References => {
  const all = references.flatMap(({ referrers, ...target }) =>
    referrers.filter(spec => isSelected(id, spec)).map(spec => ({ target, spec: { ...spec, ...ANY_KIND } })),
  )
  const tree = emptyTree<Reference>()
  const rest = all.filter(reference => !addPath(tree, reference.spec, reference))
  return { all, tree, rest }
}

/** The referrer was selected by its original kind; its current kind doesn't matter. */
const ANY_KIND = { group: '', version: '', kind: '' }

const fixReferencesOf = (
  referrer: Resource,
  { all, tree, rest }: References,
  candidates: Candidates,
  tracker: DependencyTracker,
): void => {
  const reachable = reachableFrom(referrer)
  const nothingRenamed = candidates.byName.size === 0
  // The reference may mean a resource that was renamed since.
  if (nothingRenamed) tracker.dependOnUnknown()
  const lookup: Lookup = {
    named(name) {
      tracker.dependOn(name)
      return candidates.byName.get(name)?.filter(reachable) ?? []
    },
    hadNamespace(namespace) {
      tracker.dependOnUnknown()
      return candidates.originallyIn(namespace).some(reachable)
    },
  }
  const fix = (node: YamlNode, { target, spec }: Reference): void =>
    new Search(referrer, target, spec, lookup).fix(node)
  try {
    // Invalid references are refused, whether or not anything was renamed.
    visitTree(tree, nothingRenamed ? referrer.view! : referrer.node!, fix)
  } catch {
    // One path at a time, to report which one failed.
    for (const reference of all) fixOne(referrer, reference, fix)
  }
  for (const reference of rest) fixOne(referrer, reference, fix)
}

const fixOne = (
  referrer: Resource,
  reference: Reference,
  fix: (node: YamlNode, reference: Reference) => void,
): void => {
  const { spec } = reference
  try {
    applyFieldSpec(referrer, spec, node => fix(node, reference))
  } catch (error) {
    throw wrapError(`updating name reference in '${spec.path}' field of '${idString(referrer.currentId())}'`, error)
  }
}
