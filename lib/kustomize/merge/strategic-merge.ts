import { clearField, commentsOf, field, isMissing, isNull, type YamlNode } from '../../yaml/node.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { removeElement } from './merge-list.ts'
import type { MergeOptions, MergeVisitor, Sources } from './merge-visitor.ts'
import { walkMerge } from './merge-walk.ts'

const DIRECTIVE = '$patch'

/**
 * Merges a patch into an object: maps by field, lists as their type says, null deletes, and `$patch: delete | replace | merge`
 * decides otherwise. Changes both documents; undefined when the object itself is deleted.
 */
export const strategicMerge = (patch: YamlNode, dest: YamlNode, options: MergeOptions): YamlNode | undefined =>
  walkMerge({ ...options, visitor: patchVisitor }, [dest, patch])

const patchVisitor: MergeVisitor = {
  map(sources) {
    const [dest, patch] = takeStyle(sources)
    if (isMissing(dest)) {
      if (patch && directiveOf(patch, 'lenient') === 'delete') return undefined
      // A null that nothing is merged into is kept by the walk.
      if (patch === undefined && isNull(dest) && dest!.value !== '') return dest
      return patch
    }
    if (isNull(patch)) return undefined
    return byDirective(dest, patch)
  },

  scalar(sources) {
    const [dest, patch] = takeStyle(sources)
    return patch ?? dest
  },

  list(sources, kind) {
    const [dest, patch] = takeStyle(sources)
    if (kind === 'plain') return patch ?? dest
    if (isMissing(dest)) return patch
    if (isNull(patch)) return undefined
    return byDirective(dest, patch)
  },
}

const byDirective = (dest: YamlNode, patch: YamlNode | undefined): YamlNode | undefined => {
  switch (patch && directiveOf(patch)) {
    case 'delete':
      return undefined
    case 'replace':
      return patch
    default:
      return dest
  }
}

/** The patch's comments win, and its style where there was nothing yet. */
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

type Directive = 'merge' | 'delete' | 'replace'

const isDirective = (text: string): text is Directive => text === 'merge' || text === 'delete' || text === 'replace'

/** Reads the directive of a patch and takes it out of the patch. */
const directiveOf = (patch: YamlNode, mode: 'strict' | 'lenient' = 'strict'): Directive | undefined => {
  if (patch.kind === 'map') return mapDirective(patch, mode)
  if (patch.kind === 'seq') return listDirective(patch)
  if (mode === 'lenient') return undefined
  throw new KustomizeError(`no implemented strategic merge patch strategy for '${patch.tag}' ('${patch.value}\n')`)
}

const mapDirective = (patch: YamlNode, mode: 'strict' | 'lenient'): Directive => {
  const text = field(patch, DIRECTIVE)?.value
  if (text === undefined) return 'merge'
  if (isDirective(text)) {
    clearField(patch, DIRECTIVE)
    return text
  }
  if (mode === 'lenient') return 'merge'
  throw new KustomizeError(`unknown patch strategy '${text}'`, { field: DIRECTIVE })
}

/** A list's directive stands in an element of its own. */
const listDirective = (patch: YamlNode): Directive => {
  const element = patch.content.find(item => field(item, DIRECTIVE) !== undefined)
  if (!element || element.content.length > 2) return 'merge'
  const text = field(element, DIRECTIVE)!.value
  if (!isDirective(text)) throw new KustomizeError(`unknown patch strategy '${text}'`, { field: DIRECTIVE })
  removeElement(patch, [DIRECTIVE], [text])
  return text
}
