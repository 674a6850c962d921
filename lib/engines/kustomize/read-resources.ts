import type { Budget } from '../../foundations/budget/budget.ts'
import { commentsOf, field, isMissing, type YamlNode } from '../yaml/node.ts'
import { parseBlocks } from '../yaml/parse-blocks.ts'
import { parseWithComments } from '../yaml/parse-with-comments.ts'
import { Parser } from '../yaml/parser.ts'
import { decodeText } from '../yaml/text.ts'
import { YamlError } from '../yaml/yaml-error.ts'
import { absorbBuildAnnotations } from './build-annotations.ts'
import { deAnchor } from './de-anchor.ts'
import { KustomizeError } from './kustomize-error.ts'
import { Resource, type ResourceOrigin } from './resource.ts'
import type { Schema } from './schema/schema.ts'
import { validateMetadata } from './validate-metadata.ts'

/** The context for reading resources. If there is a budget, it pays for their nodes. */
export interface ReadContext {
  readonly schema: Schema
  readonly budget?: Budget
}

/** Reads the resources of a file; expands lists (`kind: ...List`). */
export const readResources = (
  input: Uint8Array | string,
  { schema, budget }: ReadContext,
  origin: ResourceOrigin,
): Resource[] =>
  readObjects(input, budget).map(node => {
    const resource = new Resource(node, schema, origin)
    absorbBuildAnnotations(resource)
    return resource
  })

const readObjects = (input: Uint8Array | string, budget: Budget | undefined): YamlNode[] => {
  const pending = readDocuments(input, budget).filter(node => !isNothing(node))
  for (const node of pending) validate(node)
  const objects: YamlNode[] = []
  // Elements of lists are added at the end, after the documents that follow.
  for (const node of pending) {
    budget?.reach('resources', pending.length)
    const items = listItems(node)
    if (items === undefined) objects.push(node)
    else
      for (const item of items) {
        if (isNothing(item)) continue
        validate(item)
        budget?.spend('steps', 1)
        pending.push(item)
      }
  }
  return objects
}

/** The parsed documents of a stream. */
export const readDocuments = (input: Uint8Array | string, budget?: Budget): YamlNode[] => {
  try {
    return documentsIn(decodeText(input).replaceAll('\r\n', '\n'), budget)
  } catch (error) {
    throw error instanceof YamlError ? new MalformedYaml(`MalformedYAMLError: ${error.message}`, {}, error) : error
  }
}

/** The file isn't valid YAML. */
export class MalformedYaml extends KustomizeError {}

const documentsIn = (input: string, budget: Budget | undefined): YamlNode[] => {
  const documents = splitDocuments(input)
  const nodes: YamlNode[] = []
  for (const text of documents) {
    const node = parseDocument(text, budget)
    if (!isMissing(node)) {
      const items = documents.length === 1 ? wrappedItems(node) : undefined
      for (const one of items ?? [node]) nodes.push(one)
      budget?.reach('resources', nodes.length)
    }
  }
  for (let i = 0; i < nodes.length; i++) nodes[i] = deAnchor(nodes[i]!, budget)
  return nodes
}

const parseDocument = (document: string, budget: Budget | undefined): YamlNode | undefined => {
  const text = document.replace(/^\ufeff/, '')
  if (!COMMENTS_MATTER.test(text)) return parseBlocks(text, budget) ?? new Parser(text, { budget }).next()?.root
  const parsed = parseWithComments(text, budget)
  if (parsed?.foot && parsed.root.kind === 'map') commentsOf(parsed.root).foot = parsed.foot
  return parsed?.root
}

/** Comments that contain a schema for merging, and those after texts that keep empty lines: writing the comment there adds one. */
const COMMENTS_MATTER = /#\s*\{|[|>][1-9]?\+/

const SEPARATOR = /\n---.*\n/g

/** Splits a stream at its `---` lines, which may only be followed by a comment. */
export const splitDocuments = (text: string): string[] => {
  const documents: string[] = []
  let from = 0
  for (const match of text.matchAll(SEPARATOR)) {
    const behind = match[0].slice(4).trim()
    if (behind !== '' && !behind.startsWith('#'))
      throw new KustomizeError(`invalid document separator: ${match[0].trim()}`)
    documents.push(`${text.slice(from, match.index)}\n`)
    from = match.index + match[0].length
  }
  documents.push(text.slice(from))
  return documents
}

/** A stream may consist of one List or ResourceList with the actual resources. */
const wrappedItems = (node: YamlNode): YamlNode[] | undefined => {
  const kind = field(node, 'kind')?.value
  if (kind !== 'List' && kind !== 'ResourceList') return undefined
  const items = field(node, 'items')
  if (items === undefined && field(node, 'functionConfig') === undefined) return undefined
  return items?.content ?? []
}

/** The items of a `...List` object; undefined for any other object. */
const listItems = (node: YamlNode): YamlNode[] | undefined => {
  const kind = field(node, 'kind')!.value
  if (!kind.endsWith('List')) return undefined
  const items = field(node, 'items')
  if (items === undefined) return undefined
  if (isMissing(items)) return []
  if (items.kind !== 'seq') {
    const found = items.kind === 'map' ? 'map[string]interface {}' : 'string'
    throw new KustomizeError(`expected array in ${kind}/items, but found ${found}`, { field: 'items' })
  }
  return items.content
}

const validate = (node: YamlNode): void => {
  if (isUnidentified(node)) throw new KustomizeError('missing Resource metadata')
  validateMetadata(node)
}

const isUnidentified = (node: YamlNode): boolean => {
  const metadata = field(node, 'metadata')
  return (
    ['apiVersion', 'kind'].every(key => isNothing(field(node, key))) &&
    ['name', 'namespace', 'labels', 'annotations'].every(key => isNothing(field(metadata, key)))
  )
}

/** Missing, null, or empty. */
const isNothing = (node: YamlNode | undefined): boolean =>
  isMissing(node) || ((node.kind === 'map' || node.kind === 'seq') && node.content.length === 0)

/** Adds the file with invalid YAML to the error, as the kustomization names it. */
export const inFile = (error: unknown, path: string): unknown =>
  error instanceof MalformedYaml ? new MalformedYaml(`${error.message} in File: ${path}`, {}, error) : error
