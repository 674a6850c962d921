import { type Document, LineCounter, parseDocument, visit, type YAMLError } from 'yaml'
import { KubeconfigError } from '../clusters/client/kubeconfig-error.ts'

/** A kubeconfig as a document, with comments and line numbers. */
export interface KubeconfigDocument {
  readonly document: Document
  /** The line, from 1, in which a node starts. */
  lineOf(node: unknown): number
}

/**
 * Parses one YAML document, which may be empty. Fails with a KubeconfigError with line, column and the parser's code. Quotes nothing of the
 * text, which contains credentials.
 */
export const kubeconfigDocument = (text: string): KubeconfigDocument => {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false, // those would quote the text
    compat: 'yaml-1.1', // kubectl reads YAML 1.1, in which an unquoted `yes` is a boolean
  })
  const [error] = document.errors
  if (error) throw new KubeconfigError(describeError(error, lines), error)
  const lineOf = (node: unknown): number =>
    lines.linePos((node as { readonly range?: readonly number[] } | null)?.range?.[0] ?? 0).line
  visit(document, {
    Alias: (_, alias) => {
      if (!alias.resolve(document)) throw new KubeconfigError(`line ${lineOf(alias)}: alias without an anchor`)
    },
  })
  return { document, lineOf }
}

const describeError = ({ code, pos }: YAMLError, lines: LineCounter): string => {
  const { line, col } = lines.linePos(pos[0])
  return `line ${line}, column ${col}: not valid YAML (${code.toLowerCase().replaceAll('_', ' ')})`
}

/** A kubeconfig as data: an empty one is undefined. Fails as kubeconfigDocument does. */
export const kubeconfigData = (text: string): unknown => {
  const { document } = kubeconfigDocument(text)
  try {
    return document.toJS() ?? undefined
  } catch (cause) {
    throw new KubeconfigError('its aliases cannot be resolved', cause)
  }
}
