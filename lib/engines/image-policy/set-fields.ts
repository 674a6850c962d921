import { field, type YamlNode } from '../yaml/node.ts'
import { documentsWithComments } from '../yaml/parse-with-comments.ts'
import { resolvesToOtherType } from '../yaml/resolves-to-other-type.ts'
import { decodeText } from '../yaml/text.ts'
import { YamlError } from '../yaml/yaml-error.ts'

/** What identifies an object of a file; empty texts where it lacks a field. */
export interface ObjectId {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace: string
}

export interface FieldChange {
  readonly object: ObjectId
  readonly setter: string
  readonly oldValue: string
  readonly newValue: string
}

export interface ChangedText {
  readonly text: string
  readonly changes: readonly FieldChange[]
}

/** The key of a marker, in quotes: a file without it has no marker. */
export const markerToken = '"$imagepolicy"'

/**
 * Writes the fields that markers in comments name, and leaves all other characters as they are. A marker is a comment on the line of a scalar,
 * or above it: `# {"$imagepolicy": "<setter>"}`. Undefined if nothing changes, also for a text that is not YAML.
 */
export const setFields = (content: Uint8Array, setters: ReadonlyMap<string, string>): ChangedText | undefined => {
  const text = decodeText(content)
  const starts = new Map<YamlNode, number>()
  try {
    const documents = Array.from(
      documentsWithComments(content, undefined, (node, { index }) => starts.set(node, index)),
    )
    const marked = documents.flatMap(({ root }) =>
      Array.from(scalarsBelow(root)).flatMap(node => {
        const setter = setterOf(node)
        const value = setter === undefined ? undefined : setters.get(setter)
        if (setter === undefined || value === undefined || value === node.value) return []
        const span = spanOf(node, text, starts.get(node)!)
        return span ? [{ object: idOf(root), setter, oldValue: node.value, newValue: value, ...span }] : []
      }),
    )
    if (marked.length === 0) return undefined
    let [changed, end] = [hasByteOrderMark(content) ? '\ufeff' : '', 0]
    for (const { start, stop, quote, newValue } of marked) {
      changed += text.slice(end, start) + written(newValue, quote)
      end = stop
    }
    return {
      text: changed + text.slice(end),
      changes: marked.map(({ start: _, stop: __, quote: ___, ...rest }) => rest),
    }
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
}

/** It is no part of the text that is parsed. */
const hasByteOrderMark = (content: Uint8Array): boolean =>
  content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf

/** Values of mappings and items of lists, in the order of the text; not what an alias stands in for. */
function* scalarsBelow(node: YamlNode): Generator<YamlNode> {
  if (node.kind === 'scalar') yield node
  else if (node.kind === 'seq') for (const item of node.content) yield* scalarsBelow(item)
  else if (node.kind === 'map')
    for (let at = 1; at < node.content.length; at += 2) yield* scalarsBelow(node.content[at]!)
}

/** As kyaml reads it: the comment on the line, and else the one above; a line with another comment has no marker. */
const setterOf = ({ comments }: YamlNode): string | undefined => {
  for (const comment of [comments?.line, comments?.head]) {
    if (!comment) continue
    const setter = markerIn(comment)
    if (setter !== undefined) return setter
    return undefined
  }
  return undefined
}

const markerIn = (comment: string): string | undefined => {
  try {
    const marker: unknown = JSON.parse(comment.replace(/^#+/, ''))
    if (typeof marker !== 'object' || marker === null || Array.isArray(marker)) return undefined
    const values = Object.values(marker)
    const setter = (marker as Record<string, unknown>).$imagepolicy
    return values.every(value => typeof value === 'string') && typeof setter === 'string' ? setter : undefined
  } catch {
    return undefined
  }
}

type Quote = '' | "'" | '"'

const quotes: Readonly<Record<string, { readonly quote: Quote; readonly expression: RegExp }>> = {
  single: { quote: "'", expression: /'(?:[^']|'')*'/y },
  double: { quote: '"', expression: /"(?:[^"\\]|\\[\s\S])*"/y },
}

/** Where a scalar is in the text; undefined for one of several lines. */
const spanOf = ({ style, value }: YamlNode, text: string, start: number) => {
  const quoted = quotes[style]
  if (!quoted)
    return text.startsWith(value, start) && style === ''
      ? { start, stop: start + value.length, quote: '' as const }
      : undefined
  quoted.expression.lastIndex = start
  const [raw] = quoted.expression.exec(text) ?? []
  return raw === undefined ? undefined : { start, stop: start + raw.length, quote: quoted.quote }
}

/** A plain value that YAML 1.1 would not read as a string is quoted. */
const written = (value: string, quote: Quote): string => {
  if (quote === "'") return `'${value.replaceAll("'", "''")}'`
  return quote === '"' || value === '' || resolvesToOtherType(value) ? JSON.stringify(value) : value
}

const idOf = (root: YamlNode): ObjectId => {
  const metadata = field(root, 'metadata')
  const textOf = (node: YamlNode | undefined): string => (node?.kind === 'scalar' ? node.value : '')
  return {
    apiVersion: textOf(field(root, 'apiVersion')),
    kind: textOf(field(root, 'kind')),
    name: textOf(field(metadata, 'name')),
    namespace: textOf(field(metadata, 'namespace')),
  }
}
