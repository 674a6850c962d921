import type { Budget } from '../../foundations/budget/budget.ts'
import type { JsonValue } from './json-value.ts'
import type { YamlNode } from './node.ts'
import { parseBlocks } from './parse-blocks.ts'
import { Parser, type ParserOptions } from './parser.ts'
import type { YamlSchema } from './resolve.ts'
import { decodeText } from './text.ts'
import { toJson } from './to-json.ts'
import { spendOnJson } from './tree-size.ts'
import { YamlError } from './yaml-error.ts'

/** Parses all documents of a text into trees, without comments. Throws a YamlError, or BudgetExceeded. */
export const parseNodes = (input: string | Uint8Array, budget?: Budget): YamlNode[] => {
  const text = decodeText(input)
  const only = text.includes('\n---') ? undefined : parseBlocks(text, budget)
  if (only) return [only]
  const parser = new Parser(text, { budget })
  const roots: YamlNode[] = []
  for (let next = parser.next(); next; next = parser.next()) roots.push(next.root)
  return roots
}

/**
 * Parses the first document of a text, without comments; undefined if there is none. `goYaml` is the version whose order of errors
 * counts. Throws a YamlError, or BudgetExceeded.
 */
export const parseFirst = (
  input: string | Uint8Array,
  options: Pick<ParserOptions, 'budget' | 'goYaml'> = {},
): YamlNode | undefined => {
  const text = decodeText(input)
  const only = text.includes('\n---') ? undefined : parseBlocks(text, options.budget)
  return only ?? new Parser(text, options).next()?.root
}

export interface ParseOptions {
  /** Prefix of error messages. */
  readonly file?: string
  /** 'kubernetes' (the default) reads yes/no/on/off as booleans, as the API server and kubectl do. */
  readonly schema?: YamlSchema
  /** Pays for nodes and for the expansion of aliases. */
  readonly budget?: Budget | undefined
}

/**
 * Reads all documents of a YAML or JSON stream as data; skips empty ones. Refuses duplicate keys, nesting beyond 1,000 levels and excessive
 * aliases with a YamlError that names file and line.
 */
export const parseYaml = (
  input: string | Uint8Array,
  { file = '', schema = 'kubernetes', budget }: ParseOptions = {},
): JsonValue[] => {
  try {
    const values = parseNodes(input, budget)
      .map(root => toJson(root, { schema }))
      .filter(value => value !== null)
    if (budget) for (const value of values) spendOnJson(budget, value, file)
    return values
  } catch (error) {
    if (error instanceof YamlError) throw error.inFile(file)
    throw error
  }
}
