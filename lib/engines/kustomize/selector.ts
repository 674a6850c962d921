import type { SelectorEntry } from './kustomization.ts'
import { parseLabelSelector } from './label-selector.ts'
import { compilePattern, type Matcher } from './pattern.ts'
import type { Resource } from './resource.ts'
import { effectiveNamespace, type Gvk, type ResourceId } from './resource-id.ts'

/** A selector with compiled patterns; an empty part matches everything. */
export interface IdSelector {
  gvk(gvk: Gvk): boolean
  name(name: string): boolean
  namespace(namespace: string): boolean
}

const ALWAYS: Matcher = () => true

/** Matches a whole text. A pattern without special characters is compared instead. */
const anchored = (pattern: string | undefined): Matcher => {
  if (!pattern) return ALWAYS
  return /^[A-Za-z0-9_/-]*$/.test(pattern) ? text => text === pattern : compilePattern(`^(?:${pattern})$`)
}

/**
 * Compiles a selector's regular expressions, which match whole texts. Throws KustomizeError for what Go's regexp does
 * not accept.
 */
export const compileSelector = ({ group, version, kind, name, namespace }: SelectorEntry): IdSelector => {
  const [groups, versions, kinds] = [anchored(group), anchored(version), anchored(kind)]
  return {
    gvk: gvk => groups(gvk.group) && versions(gvk.version) && kinds(gvk.kind),
    name: anchored(name),
    namespace: anchored(namespace),
  }
}

/** Whether an id matches, with its namespace as written. */
export const selectsId = (selector: IdSelector, id: ResourceId): boolean =>
  selector.gvk(id) && selector.name(id.name) && selector.namespace(id.namespace)

/** Whether labels and annotations match, as far as the selector sets them. */
export const metadataSelector = ({
  labelSelector,
  annotationSelector,
}: SelectorEntry): ((resource: Resource) => boolean) => {
  const labels = labelSelector ? parseLabelSelector(labelSelector) : undefined
  const annotations = annotationSelector ? parseLabelSelector(annotationSelector) : undefined
  return resource => (labels?.(resource.labels()) ?? true) && (annotations?.(resource.annotations()) ?? true)
}

/** The resources that the target of a patch or plugin selects, by original or current name. */
export const selectResources = (resources: readonly Resource[], entry: SelectorEntry): Resource[] => {
  const selector = compileSelector(entry)
  const byMetadata = metadataSelector(entry)
  return resources.filter(resource => {
    const current = resource.currentId()
    const original = resource.originalId()
    return (
      (selector.namespace(effectiveNamespace(original)) || selector.namespace(effectiveNamespace(current))) &&
      (selector.name(original.name) || selector.name(current.name)) &&
      selector.gvk(current) &&
      byMetadata(resource)
    )
  })
}
