import { clearField, commentsOf, field, isMissing, isNull, scalarNode, type YamlNode } from '../../yaml/node.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { removeElement } from './merge-list.ts'
import type { MergeOptions, MergeVisitor, Sources } from './merge-visitor.ts'
import { walkMerge } from './merge-walk.ts'

const DIRECTIVE = '$patch'

/**
 * Merges a patch into an object: maps by field, lists according to their type, null deletes, and `$patch: delete | replace | merge`
 * overrides that. Modifies both documents; undefined if the object itself is deleted.
 */
export const strategicMerge = (patch: YamlNode, dest: YamlNode, options: MergeOptions): YamlNode | undefined =>
  walkMerge({ ...options, visitor: patchVisitor }, [dest, patch])

const patchVisitor: MergeVisitor = {
  map(sources) {
    const [dest, patch] = takeStyle(sources)
    if (!dest || isNull(dest)) {
      if (mapDirective(patch) === 'delete') return undefined
      // An explicit null stays as long as nothing is merged into it.
      return dest?.value && !patch ? scalarNode(dest.value, '!!null') : present(patch)
    }
    return isNull(patch) ? undefined : byDirective(mapDirective(patch), dest, patch)
  },

  scalar(sources) {
    const [dest, patch] = takeStyle(sources)
    return patch ? present(patch) : dest
  },

  list(sources, kind) {
    const [dest, patch] = takeStyle(sources)
    if (kind === 'plain') return patch ? present(patch) : dest
    if (isMissing(dest)) return patch
    return isNull(patch) ? undefined : byDirective(listDirective(patch), dest, patch)
  },
}

const present = (node: YamlNode | undefined): YamlNode | undefined => (isMissing(node) ? undefined : node)

const byDirective = (directive: string, dest: YamlNode, patch: YamlNode | undefined): YamlNode | undefined => {
  switch (directive) {
    case 'merge':
      return dest
    case 'delete':
      return undefined
    case 'replace':
      return patch
    default:
      throw new KustomizeError(`unknown patch strategy '${directive}'`, { field: DIRECTIVE })
  }
}

/** The patch's comments win, and its style if the target has nothing yet. */
const takeStyle = (sources: Sources): Sources => {
  const [dest, patch] = sources
  if (!dest || !patch) return sources
  if (patch.comments) {
    const { head, line, foot } = patch.comments
    const own = commentsOf(dest)
    if (foot) own.foot = foot
    if (head) own.head = head
    if (line) own.line = line
  }
  if (dest.kind !== 'scalar' && dest.content.length === 0) dest.style = patch.style
  return sources
}

const isKnown = (directive: string): boolean => ['merge', 'delete', 'replace'].includes(directive)

/** Reads the directive of a patch, and removes it from the patch if it is valid. */
const mapDirective = (patch: YamlNode | undefined): string => {
  const directive = field(patch, DIRECTIVE)?.value
  if (!patch || directive === undefined) return 'merge'
  if (isKnown(directive)) clearField(patch, DIRECTIVE)
  return directive
}

/** A list's directive is a separate element. */
const listDirective = (patch: YamlNode | undefined): string => {
  const element = patch?.content.find(item => field(item, DIRECTIVE) !== undefined)
  if (!patch || !element || element.content.length > 2) return 'merge'
  const directive = field(element, DIRECTIVE)!.value
  if (isKnown(directive)) removeElement(patch, [DIRECTIVE], [directive])
  return directive
}
