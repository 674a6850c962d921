import { quote as goQuote } from '../../../foundations/go/quote.ts'

/** A violated rule, with its causes. */
export interface Violation {
  /** `group` has no message of its own if it is the outermost; `reference` has none with a single cause. */
  readonly kind: 'rule' | 'group' | 'reference'
  readonly message: string
  /** Keys and indexes down to the value. */
  readonly path: readonly string[]
  readonly causes: readonly Violation[]
}

/** The lines of santhosh-tekuri/jsonschema, which Helm prints: `- at '/path': message`, causes indented below. */
export const violationLines = (violation: Violation): string => {
  const causes = violation.kind === 'group' ? violation.causes : [violation]
  return causes.map(cause => linesOf(cause, 0)).join('')
}

const linesOf = ({ kind, message, path, causes }: Violation, indent: number): string => {
  if (kind === 'reference' && causes.length === 1) return linesOf(causes[0]!, indent)
  const line = `${'  '.repeat(indent)}- at ${quoted(pointer(path))}: ${message}\n`
  return line + causes.map(cause => linesOf(cause, indent + 1)).join('')
}

/** A path as a JSON pointer (RFC 6901), empty for the whole value. */
export const pointer = (path: readonly string[]): string =>
  path.map(token => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** In single quotes, as in the messages. */
export const quoted = (text: string): string =>
  `'${goQuote(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
