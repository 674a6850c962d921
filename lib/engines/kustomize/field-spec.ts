import { isNull, type NodeKind, type YamlNode } from '../yaml/node.ts'
import { KustomizeError, wrapError } from './kustomize-error.ts'
import { emptyNode, step } from './node-path.ts'
import type { Resource } from './resource.ts'
import { type Gvk, idString, isSelected, parseGroupVersion } from './resource-id.ts'

/** A field of some kinds of objects that a transformer works on. */
export interface FieldSpec extends Gvk {
  /** Fields separated by `/` (`\/` is a slash in a name); `[]` after a field marks a list. */
  readonly path: string
  /** Whether to create missing fields on the path. */
  readonly create: boolean
  readonly segments: readonly string[]
}

/**
 * A field of objects of a kind; an empty part of `gvk` matches all. `path` is in kustomize's notation:
 * `spec/template/spec/containers[]/image`.
 */
export const fieldSpec = (path: string, gvk: Partial<Gvk> = {}, create = false): FieldSpec => ({
  group: gvk.group ?? '',
  version: gvk.version ?? '',
  kind: gvk.kind ?? '',
  path,
  create,
  segments: splitPath(path, '/'),
})

/** Splits at the delimiter, except after a backslash. A leading delimiter is allowed. */
export const splitPath = (path: string, delimiter: string): string[] => {
  const parts = path.split(delimiter)
  if (parts.length > 1 && parts[0] === '') parts.shift()
  const out = [parts[0]!]
  for (const part of parts.slice(1)) {
    const last = out.at(-1)!
    if (last.endsWith('\\')) out[out.length - 1] = `${last.slice(0, -1)}${delimiter}${part}`
    else out.push(part)
  }
  return out
}

export interface ApplyOptions {
  /** The kind of node to create at the end of the path; if absent, nothing is created. */
  readonly createKind?: NodeKind
  readonly createTag?: string
}

/** Calls `set` for every node of the object that the spec selects. */
export const applyFieldSpec = (
  resource: Resource,
  spec: FieldSpec,
  set: (node: YamlNode) => void,
  options: ApplyOptions = {},
): void => {
  const { kind, apiVersion } = resource
  if (spec.kind && spec.kind !== kind) return
  const gvk = { ...parseGroupVersion(apiVersion), kind }
  if (!isSelected(gvk, spec)) return
  try {
    walk(resource.node!, spec, 0, set, options)
  } catch (error) {
    const id = idString({ ...gvk, name: resource.name, namespace: resource.namespace })
    throw wrapError(`considering field '${spec.path}' of object ${id}`, error, {
      file: resource.origin.file,
      field: spec.path,
    })
  }
}

const walk = (
  node: YamlNode,
  spec: FieldSpec,
  depth: number,
  set: (node: YamlNode) => void,
  options: ApplyOptions,
): void => {
  if (depth === spec.segments.length) set(node)
  else if (isNull(node)) return
  else if (node.kind === 'seq') walkItems(node, spec, depth, set, options)
  else if (node.kind === 'map') walkField(node, spec, depth, set, options)
  else throw new KustomizeError('expected sequence or mapping node')
}

const walkItems: typeof walk = (node, spec, depth, set, options) => {
  try {
    for (const item of node.content) walk(item, spec, depth, set, options)
  } catch (error) {
    throw wrapError(`visit traversal on path: [${spec.segments.slice(depth).join(' ')}]`, error)
  }
}

const walkField: typeof walk = (node, spec, depth, set, options) => {
  const segment = spec.segments[depth]!
  const isList = segment.endsWith('[]')
  const written = isList ? segment.slice(0, -2) : segment
  if (written === '') throw new KustomizeError('cannot set or create an empty field name')
  const name = written.trim()
  const last = depth === spec.segments.length - 1
  const creates = spec.create && options.createKind !== undefined && !isList
  const kind = isList ? 'seq' : creates ? (last ? options.createKind! : 'map') : undefined

  let found = fieldOf(node, name)
  if (!found) {
    if (!creates) return
    found = emptyNode(kind!)
    node.content.push(keyNode(name), found)
  }
  if (found.tag === '!!null' && kind !== undefined) {
    found.kind = kind
    found.tag = kind === 'scalar' ? (options.createTag ?? '') : ''
  }
  walk(found, spec, depth + 1, set, options)
}

/** A name of only spaces selects nothing. */
const fieldOf = (map: YamlNode, name: string): YamlNode | undefined => {
  try {
    return name === '' ? map : step(map, name)
  } catch (error) {
    throw wrapError(`fieldName: ${name}`, error)
  }
}

const keyNode = (name: string): YamlNode => {
  const key = emptyNode('scalar')
  key.value = name
  return key
}
