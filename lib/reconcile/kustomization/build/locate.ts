/** Finds the file and line of the field that an error is about, for messages. */
import type { FileSystem } from '../../../engines/kustomize/file-system.ts'
import { field, type YamlNode } from '../../../engines/yaml/node.ts'
import { parseNodes } from '../../../engines/yaml/parse.ts'
import { groupOf, type KubernetesObject } from '../../../foundations/kinds/object.ts'

/**
 * `apps/b.yaml:7`, or if the origin has more, `apps/b.yaml:7, overlay prod`: the line of a field (`spec.ports[0].port`, `.data.n`)
 * of a built object, in the overlay that sets it; the line of the object itself if neither has the field. Returns the origin
 * unchanged if nothing is found.
 */
export type Locate = (object: KubernetesObject, origin: string, path?: string) => string

/** Larger files are not parsed again just for a line number. */
const maxBytes = 1_000_000

export const locateIn = (files: Pick<FileSystem, 'read' | 'list'>): Locate => {
  const parsed = new Map<string, readonly YamlNode[]>()
  const documentsOf = (file: string): readonly YamlNode[] => {
    const known = parsed.get(file)
    if (known) return known
    const documents = readDocuments(files.read(file))
    parsed.set(file, documents)
    return documents
  }

  return (object, origin, path) => {
    const [file = '', ...more] = origin.split(', ')
    const overlay = /^overlay (.*)$/.exec(more[0] ?? '')?.[1]
    const steps = stepsOf(path ?? '')
    const isTheOne = (node: YamlNode) => isOf(node, object)
    if (overlay !== undefined && steps.length > 0) {
      const folder = overlay === '.' ? '' : `${overlay}/`
      const names = (files.list(folder.slice(0, -1)) ?? []).filter(name => /\.ya?ml$/.test(name))
      for (const patch of names.map(name => folder + name)) {
        const at = documentsOf(patch)
          .filter(isTheOne)
          .flatMap(node => lineOf(node, steps, object) ?? [])[0]
        if (at !== undefined) return `${patch}:${at}`
      }
    }
    const found = documentsOf(file).find(isTheOne)
    if (!found) return origin
    const line = lineOf(found, steps, object) ?? found.line
    return [`${file}:${line}`, ...more].join(', ')
  }
}

/** `apps/kustomization.yaml:7`: the line of a field in a file with one document; the file alone if it isn't found. */
export const withLine = (files: Pick<FileSystem, 'read'>, file: string, path: string | undefined): string => {
  const [root] = readDocuments(files.read(file))
  const steps = stepsOf(path ?? '')
  let [node, line]: [YamlNode | undefined, number | undefined] = [root, undefined]
  for (const step of steps) {
    const found: ReturnType<typeof childOf> = node && childOf(node, step)
    if (!found) break
    ;({ node, line } = found)
  }
  return line === undefined ? file : `${file}:${line}`
}

/** An origin with the line of its file that first uses a variable. */
export const withLineOfVariable = (files: Pick<FileSystem, 'read'>, origin: string, variable: string): string => {
  const [file = '', ...more] = origin.split(', ')
  const lines = Buffer.from(files.read(file) ?? '')
    .toString('utf8')
    .split('\n')
  const taking = new RegExp(`\\$\\{${variable}\\b`)
  const at = lines.findIndex(line => taking.test(line))
  return at < 0 ? origin : [`${file}:${at + 1}`, ...more].join(', ')
}

const readDocuments = (bytes: Uint8Array | undefined): readonly YamlNode[] => {
  if (!bytes || bytes.length > maxBytes) return []
  try {
    return parseNodes(bytes).flatMap(root => {
      const items = field(root, 'items')
      return field(root, 'kind')?.value.endsWith('List') && items?.kind === 'seq' ? items.content : [root]
    })
  } catch {
    return [] // the build has reported that
  }
}

/** Of the same kind, with a name that may have gained a prefix or suffix. */
const isOf = (node: YamlNode, { apiVersion, kind, metadata }: KubernetesObject): boolean => {
  const name = field(field(node, 'metadata'), 'name')?.value
  return (
    field(node, 'kind')?.value === kind &&
    groupOf(field(node, 'apiVersion')?.value ?? apiVersion) === groupOf(apiVersion) &&
    name !== undefined &&
    metadata.name.includes(name)
  )
}

/** A field name, a list index, or the list item whose field has this value. */
type Step = string | number | { readonly key: string; readonly value: string }

/** Parses paths as API servers write them: `spec.ports[0].port`, `.spec.containers[name="web"].image`. */
const stepsOf = (path: string): readonly Step[] =>
  [...path.matchAll(/\[(\d+)\]|\[(\w+)="([^"]*)"[^\]]*\]|\[([^\]]+)\]|([^.[\]]+)/g)].map(
    ([, index, key, value, quoted, name]) =>
      index !== undefined ? Number(index) : key !== undefined ? { key, value: value ?? '' } : (name ?? quoted ?? ''),
  )

/** The line of the field's (or item's) key, if the document has it with the object's value, or with a variable. */
const lineOf = (document: YamlNode, steps: readonly Step[], object: KubernetesObject): number | undefined => {
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
  const isScalar = typeof wanted !== 'object' || wanted === null
  const isSame = !isScalar || node.kind !== 'scalar' || node.value === String(wanted) || node.value.includes('${')
  return isSame ? line : undefined
}

const childOf = (node: YamlNode, step: Step): { readonly node: YamlNode; readonly line: number } | undefined => {
  if (typeof step === 'string') {
    const at = node.kind === 'map' ? node.content.findIndex((key, i) => i % 2 === 0 && key.value === step) : -1
    return at < 0 ? undefined : { node: node.content[at + 1]!, line: node.content[at]!.line }
  }
  if (node.kind !== 'seq') return undefined
  const item =
    typeof step === 'number' ? node.content[step] : node.content.find(one => field(one, step.key)?.value === step.value)
  return item && { node: item, line: item.line }
}

const valueAt = (value: unknown, step: Step): unknown => {
  if (typeof value !== 'object' || value === null) return undefined
  if (typeof step !== 'object') return (value as Readonly<Record<string | number, unknown>>)[step]
  return Array.isArray(value) ? value.find(item => item?.[step.key] === step.value) : undefined
}
