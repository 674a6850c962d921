import { emitNode } from '../../yaml/emit-node.ts'
import { cloneNode, isMissing, isNull, mapNode, seqNode, type YamlNode } from '../../yaml/node.ts'
import type { Schema } from '../schema/schema.ts'
import type { MergeVisitor, Sources } from './merge-visitor.ts'
import { walkMerge } from './merge-walk.ts'

/**
 * Applies the changes between two versions of a document to a third one derived from the first: kyaml's merge3. Modifies `dest`; undefined
 * if nothing remains.
 */
export const threeWayMerge = (
  dest: YamlNode,
  original: YamlNode | undefined,
  update: YamlNode | undefined,
  options: { readonly schema: Schema; readonly inferKeys?: boolean },
): YamlNode | undefined =>
  walkMerge({ ...options, newElements: 'append', visitKeys: true, visitor }, [dest, original, update])

const visitor: MergeVisitor = {
  map([dest, , update]) {
    if (isNull(update) || isNull(dest)) return undefined
    if (!dest && !update) return undefined
    return dest ?? mapNode()
  },

  scalar([dest, original, update]) {
    if (isNull(update) || isNull(dest)) return undefined
    if (isMissing(update) !== isMissing(original)) return update
    if (isMissing(update)) return dest
    const [was, is] = [shown(original!), shown(update)]
    if ((!dest || shown(dest) === was) && was !== is) return update
    return update.value === original!.value ? dest : update
  },

  list(sources, kind) {
    return kind === 'associative' ? visitAssociative(sources) : visitPlain(sources)
  },
}

const visitAssociative = ([dest, original, update]: Sources): YamlNode | undefined => {
  if (isMissing(update) && !isMissing(original)) return undefined
  return isMissing(dest) ? seqNode() : dest
}

const visitPlain = ([dest, original, update]: Sources): YamlNode | undefined => {
  if (isNull(update) || isNull(dest)) return undefined
  if (isMissing(update) !== isMissing(original)) return update
  if (isMissing(update)) return dest
  return shown(update) === shown(original!) ? dest : update
}

/** A node's text regardless of style, for comparison. */
const shown = (node: YamlNode): string => {
  const copy = cloneNode(node)
  copy.style = node.kind === 'scalar' ? 'single' : 'flow'
  copy.tagged = false
  return emitNode(copy)
}
