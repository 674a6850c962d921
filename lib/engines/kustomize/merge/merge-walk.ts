import { field, indexOfKey, isMissing, type NodeStyle, scalarNode, type YamlNode } from '../../yaml/node.ts'
import { assign, expectKind, quoteIfOther } from '../node-path.ts'
import type { Schema, TypeSchema } from '../schema/schema.ts'
import { commonKey, inferredKey, mergeElements } from './merge-list.ts'
import type { MergeWalk, Sources } from './merge-visitor.ts'

const kindOf = (sources: Sources): YamlNode['kind'] | undefined => sources.find(node => !isMissing(node))?.kind

/** Walks the sources in parallel, from a path whose type may be known. `path` starts at the last list. */
export const walkMerge = (
  walk: MergeWalk,
  sources: Sources,
  inherited?: TypeSchema,
  path: readonly string[] = [],
): YamlNode | undefined => {
  const type = describedType(walk.schema, sources) ?? inherited ?? typeOfSources(walk.schema, sources)
  const kind = kindOf(sources)
  if (kind === 'alias') return undefined
  for (const node of sources) expectKind(node, kind!)
  switch (kind) {
    case 'scalar':
      return walk.visitor.scalar(sources)
    case 'seq':
      if (!isAssociative(walk, type, sources)) return walk.visitor.list(sources, 'plain')
      return walkList(walk, sources, type, path)
    default:
      return walkMap(walk, sources, type, path)
  }
}

const typeOfSources = (schema: Schema, sources: Sources): TypeSchema | undefined => {
  for (const node of sources) {
    const kind = field(node, 'kind')?.value
    const apiVersion = kind && field(node, 'apiVersion')?.value
    const type = apiVersion ? schema.typeOf(apiVersion, kind) : undefined
    if (type) return type
  }
  return undefined
}

/** Alternates values and their keys: a comment on either may describe the field. */
const valuesAndKeys = (sources: Sources, key: string): Sources =>
  sources.flatMap(node => [field(node, key), keyNode(node, key)])

const keyNode = (node: YamlNode | undefined, key: string): YamlNode | undefined =>
  node?.kind === 'map' ? node.content[indexOfKey(node, key)] : undefined

/** The type from a comment that contains an OpenAPI schema. */
const describedType = (schema: Schema, nodes: Sources): TypeSchema | undefined => {
  for (const node of nodes) {
    if (!node?.comments) continue
    const comment = (node.comments.line || node.comments.head).replace(/#+/, '')
    try {
      return schema.described(JSON.parse(comment))
    } catch {
      // An ordinary comment.
    }
  }
  return undefined
}

const isAssociative = (walk: MergeWalk, type: TypeSchema | undefined, sources: Sources): boolean => {
  if (type) return type.mergeKeys !== undefined
  return walk.inferKeys === true && sources.some(node => !isMissing(node) && inferredKey(node) !== undefined)
}

const walkList = (
  walk: MergeWalk,
  sources: Sources,
  type: TypeSchema | undefined,
  path: readonly string[],
): YamlNode | undefined => {
  const dest = walk.visitor.list(sources, 'associative')
  sources[0] = dest
  return dest && mergeElements(walk, sources, dest, type?.mergeKeys ?? [commonKey(sources, path)], type, walkMerge)
}

const walkMap = (
  walk: MergeWalk,
  sources: Sources,
  type: TypeSchema | undefined,
  path: readonly string[],
): YamlNode | undefined => {
  const dest = walk.visitor.map(sources)
  sources[0] = dest
  if (!dest) return undefined
  for (const key of fieldNames(sources)) {
    const keys = walk.visitKeys ? mergeKeyComments(walk, sources, key) : undefined
    const values = sources.map(node => field(node, key))
    const styles = sources.map((node, i) => [values[i], keyNode(node, key)?.style] as const)
    const own = describedType(walk.schema, valuesAndKeys(sources, key))
    const value = walkMerge(walk, values, own ?? type?.field(key), [...path, key])
    const style = value && styles.findLast(([node]) => node === value)?.[1]
    setMerged(dest, key, value, style, keys)
  }
  return dest
}

const fieldNames = (sources: Sources): string[] => {
  const names = new Set<string>()
  for (const node of sources) {
    if (node?.kind !== 'map') continue
    for (let i = 0; i < node.content.length; i += 2) names.add(node.content[i]!.value)
  }
  return [...names].sort()
}

const mergeKeyComments = (walk: MergeWalk, sources: Sources, key: string): YamlNode['comments'] => {
  const keys = sources.map(node => keyNode(node, key))
  const merged = walk.visitor.scalar([...keys])
  if (isMissing(merged)) return undefined
  if (!isMissing(keys[0])) keys[0].comments = merged.comments
  return merged.comments
}

const setMerged = (
  dest: YamlNode,
  key: string,
  value: YamlNode | undefined,
  style: NodeStyle | undefined,
  comments: YamlNode['comments'],
): void => {
  const at = indexOfKey(dest, key)
  if (!value) {
    if (at >= 0) dest.content.splice(at, 2)
    return
  }
  quoteIfOther(value)
  if (at >= 0) {
    assign(dest.content[at + 1]!, value)
    return
  }
  const name = scalarNode(key, '', style)
  name.comments = comments && { ...comments }
  dest.content.push(name, value)
}
