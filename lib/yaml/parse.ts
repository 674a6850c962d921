import type { JsonValue } from './json-value.ts'
import type { YamlNode } from './node.ts'
import { Parser } from './parser.ts'
import type { YamlSchema } from './resolve.ts'
import { decodeText } from './text.ts'
import { toJson } from './to-json.ts'
import { YamlError } from './yaml-error.ts'

/** Parses all documents of a text into trees, without comments. Throws a YamlError. */
export const parseNodes = (input: string | Uint8Array): YamlNode[] => {
  const parser = new Parser(decodeText(input))
  const roots: YamlNode[] = []
  for (let next = parser.next(); next; next = parser.next()) roots.push(next.root)
  return roots
}

export interface ParseOptions {
  /** Named in front of errors. */
  readonly file?: string
  /** 'kubernetes' (the default) reads yes/no/on/off as booleans, as the API server and kubectl do. */
  readonly schema?: YamlSchema
}

/**
 * Reads every document of a YAML or JSON stream as data; empty documents are left out. Keys that stand twice, nesting
 * beyond 1,000 levels and aliases that would blow the document up are refused with a YamlError that names file and line.
 */
export const parseYaml = (
  input: string | Uint8Array,
  { file = '', schema = 'kubernetes' }: ParseOptions = {},
): JsonValue[] => {
  try {
    return parseNodes(input)
      .map(root => toJson(root, { schema }))
      .filter(value => value !== null)
  } catch (error) {
    if (error instanceof YamlError) throw error.inFile(file)
    throw error
  }
}
