/** Finds lines of fields in YAML documents, by paths as API servers write them. */
import { field, type YamlNode } from '../../../engines/yaml/node.ts'
import { groupOf, type KubernetesObject } from '../../../foundations/kinds/object.ts'

/** Of the same kind, with a name that may have gained a prefix or suffix. */
export const isOf = (node: YamlNode, { apiVersion, kind, metadata }: KubernetesObject): boolean => {
  const name = field(field(node, 'metadata'), 'name')?.value
  return (
    field(node, 'kind')?.value === kind &&
    groupOf(field(node, 'apiVersion')?.value ?? apiVersion) === groupOf(apiVersion) &&
    name !== undefined &&
    metadata.name.includes(name)
  )
}

/** A field name, a list index, or the list item whose field has this value. */
export type Step = string | number | { readonly key: string; readonly value: string }

/** Parses paths as API servers write them: `spec.ports[0].port`, `.spec.containers[name="web"].image`. */
export const stepsOf = (path: string): readonly Step[] =>
  [...path.matchAll(/\[(\d+)\]|\[(\w+)="([^"]*)"[^\]]*\]|\[([^\]]+)\]|([^.[\]]+)/g)].map(
    ([, index, key, value, quoted, name]) =>
      index !== undefined ? Number(index) : key !== undefined ? { key, value: value ?? '' } : (name ?? quoted ?? ''),
  )

/** The line of the field's (or item's) key, if the document has it with the object's value, or with a variable. */
export const lineOf = (document: YamlNode, steps: readonly Step[], object: unknown): number | undefined => {
  let node: YamlNode | undefined = document
  let wanted: unknown = object
  let line: number | undefined
  for (const step of steps) {
    if (!node) return undefined
    const found = childOf(node, step)
    wanted = valueAt(wanted, step)
    node = found?.node
    line = found?.line
  }
  if (!node || line === undefined) return undefined
  return isSetBy(node, wanted) ? line : undefined
}

/** Whether a node holds the value, or a variable in its place. Collections are not compared. */
export const isSetBy = (node: YamlNode, wanted: unknown): boolean => {
  const isScalar = typeof wanted !== 'object' || wanted === null
  return !isScalar || node.kind !== 'scalar' || node.value === String(wanted) || node.value.includes('${')
}

/** One step into a node, with the line of the key or item (from 1); undefined if it isn't there. */
export const childOf = (node: YamlNode, step: Step): { readonly node: YamlNode; readonly line: number } | undefined => {
  if (typeof step === 'string') {
    const at = node.kind === 'map' ? node.content.findIndex((key, i) => i % 2 === 0 && key.value === step) : -1
    return at < 0 ? undefined : { node: node.content[at + 1]!, line: node.content[at]!.line }
  }
  if (node.kind !== 'seq') return undefined
  const item =
    typeof step === 'number' ? node.content[step] : node.content.find(one => field(one, step.key)?.value === step.value)
  return item && { node: item, line: item.line }
}

/** The same step into the parsed value. */
export const valueAt = (value: unknown, step: Step): unknown => {
  if (typeof value !== 'object' || value === null) return undefined
  if (typeof step !== 'object') return (value as Readonly<Record<string | number, unknown>>)[step]
  return Array.isArray(value) ? value.find(item => item?.[step.key] === step.value) : undefined
}
