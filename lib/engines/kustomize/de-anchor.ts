import type { Budget } from '../../foundations/budget/budget.ts'
import { isMergeKey } from '../yaml/mapping-keys.ts'
import { cloneNode, mapNode, type YamlNode } from '../yaml/node.ts'
import { spendOnTree } from '../yaml/tree-size.ts'
import { YamlError } from '../yaml/yaml-error.ts'
import { KustomizeError } from './kustomize-error.ts'

/** Maximum number of nodes created by expanding aliases. */
const LIMIT = 1_000_000

/** Replaces aliases with copies of their targets and expands `<<` merges; leaves trees without any as they are. */
export const deAnchor = (root: YamlNode, budget?: Budget): YamlNode => {
  let made = 0
  const open = new Set<YamlNode>()

  const resolved = (node: YamlNode): YamlNode => {
    node.anchor = undefined
    if (node.kind === 'alias') return copied(node)
    if (node.kind === 'map') mergeInto(node)
    const { content } = node
    for (let i = 0; i < content.length; i++) {
      const child = content[i]!
      if (child.kind !== 'scalar' || child.anchor !== undefined) content[i] = resolved(child)
    }
    return node
  }

  const copied = (node: YamlNode): YamlNode => {
    const target = node.alias!
    if (open.has(target)) throw new YamlError(`anchor '${node.value}' value contains itself`)
    open.add(target)
    const copy = resolved(cloneNode(target))
    open.delete(target)
    made += countNodes(copy)
    if (made > LIMIT) throw new YamlError('document contains excessive aliasing')
    if (budget) spendOnTree(budget, copy)
    return copy
  }

  const mergeInto = (map: YamlNode): void => {
    const sources: YamlNode[] = []
    for (let i = 0; i < map.content.length; ) {
      if (!isMergeKey(map.content[i]!)) {
        i += 2
        continue
      }
      if (sources.length > 0) throw new KustomizeError('duplicate merge key', { field: '<<' })
      const [, source] = map.content.splice(i, 2)
      for (const one of source!.kind === 'seq' ? source!.content : [source!]) sources.push(one)
    }
    for (const source of sources) {
      if (source.alias && source.alias.kind !== 'map')
        throw new KustomizeError('invalid map merge: received alias for a non-map value', { field: '<<' })
      addMissing(map, resolved(source))
    }
    repeatNullKeys(map)
  }

  return resolved(root)
}

const addMissing = (map: YamlNode, source: YamlNode): void => {
  if (source.kind === 'seq') throw new KustomizeError('invalid map merge: received a nested sequence', { field: '<<' })
  if (source.kind !== 'map')
    throw new KustomizeError('map merge requires map or sequence of maps as the value', { field: '<<' })
  const known = new Set<string>()
  for (let i = 0; i < map.content.length; i += 2) known.add(map.content[i]!.value)
  const { content } = cloneNode(mapNode(source.content))
  for (let i = 0; i < content.length; i += 2) {
    if (!known.has(content[i]!.value)) map.content.push(content[i]!, content[i + 1]!)
  }
}

/** kustomize merges a mapping with itself and does not find a key again if it is an explicit null, so that it then occurs twice. */
const repeatNullKeys = ({ content }: YamlNode): void => {
  for (let i = 0, length = content.length; i < length; i += 2) {
    const key = content[i]!
    if (key.tag === '!!null' && key.value !== '') content.push(cloneNode(key), cloneNode(content[i + 1]!))
  }
}

const countNodes = (node: YamlNode): number => {
  let count = 1
  for (const child of node.content) count += countNodes(child)
  return count
}
