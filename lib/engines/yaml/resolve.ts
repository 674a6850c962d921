import { parseTimestamp } from './timestamp.ts'

/**
 * How plain scalars are read. Kubernetes tooling has two ways:
 * - `kyaml` (go-yaml v3, with which kustomize edits): yes/no/on/off/y/n are strings, dates are timestamps;
 * - `kubernetes` (sigs.k8s.io/yaml, for API objects and kustomization.yaml): they are booleans, dates are strings.
 */
export type YamlSchema = 'kyaml' | 'kubernetes'

export type Scalar = string | number | bigint | boolean | null

export interface Resolved {
  readonly tag: '!!str' | '!!int' | '!!float' | '!!bool' | '!!null' | '!!timestamp'
  readonly value: Scalar
}

const NULL: Resolved = { tag: '!!null', value: null }
const TRUE: Resolved = { tag: '!!bool', value: true }
const FALSE: Resolved = { tag: '!!bool', value: false }
const float = (value: number): Resolved => ({ tag: '!!float', value })

const WORDS = new Map<string, Resolved>([
  ['~', NULL],
  ...['null', 'Null', 'NULL'].map(word => [word, NULL] as const),
  ...['true', 'True', 'TRUE'].map(word => [word, TRUE] as const),
  ...['false', 'False', 'FALSE'].map(word => [word, FALSE] as const),
  ...['.nan', '.NaN', '.NAN'].map(word => [word, float(Number.NaN)] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map(word => [word, float(Number.POSITIVE_INFINITY)] as const),
  ...['-.inf', '-.Inf', '-.INF'].map(word => [word, float(Number.NEGATIVE_INFINITY)] as const),
])

/** YAML 1.1's additional booleans. */
const OLD_BOOLEANS = new Map<string, Resolved>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map(word => [word, TRUE] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map(word => [word, FALSE] as const),
])

const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/
/** Go's own rule for numbers with a leading dot: underscores only between digits. */
const DOT_FLOAT = /^\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?$/
/** Initial characters of the words that are not strings. */
const INITIALS = '~fFnNoOtTyY'
const DOT = 46
const NINE = 57

const SURELY_PLAIN = /^[a-eg-mp-su-xzA-EG-MP-SU-XZ/_][A-Za-z0-9_./-]*$/

/** Fast path for most texts: plain strings without line folding, in any context. */
export const isDefinitelyPlain = (text: string): boolean => SURELY_PLAIN.test(text)

/** Six or more characters of printable ASCII that start with a letter: not a word or number. Without `#`, `: ` and a trailing space. */
const SURELY_PLAIN_TEXT = /^[A-Za-z](?:[ -"$-9;-~]|:(?=[!-~])){4,}[!"$-9;-~]$/

/** The same for most texts of several words, which may be folded; not within brackets. */
export const isDefinitelyPlainText = (text: string): boolean => SURELY_PLAIN_TEXT.test(text)

/** Resolves the text of a plain scalar. */
export const resolve = (text: string, schema: YamlSchema): Resolved => {
  if (text === '') return NULL
  const c = text.charCodeAt(0)
  if (c > NINE && !INITIALS.includes(text[0]!)) return { tag: '!!str', value: text }
  const word =
    text.length <= 5 ? (WORDS.get(text) ?? (schema === 'kubernetes' ? OLD_BOOLEANS.get(text) : undefined)) : undefined
  if (word) return word
  if (c === DOT) return DOT_FLOAT.test(text) ? resolveFloat(text) : { tag: '!!str', value: text }
  return c > NINE ? { tag: '!!str', value: text } : resolveNumber(text, schema)
}

const resolveNumber = (text: string, schema: YamlSchema): Resolved => {
  if (schema === 'kyaml') {
    const time = parseTimestamp(text)
    if (time !== undefined) return { tag: '!!timestamp', value: time }
  }
  const int = parseGoInt(text.replaceAll('_', ''))
  return int === undefined ? resolveFloat(text) : { tag: '!!int', value: int }
}

const resolveFloat = (text: string): Resolved => {
  const plain = text.replaceAll('_', '')
  const value = FLOAT.test(plain) ? Number(plain) : Number.NaN
  return Number.isFinite(value) ? float(value) : { tag: '!!str', value: text }
}

const INT64_MIN = -(2n ** 63n)
const UINT64_MAX = 2n ** 64n - 1n

const INT = /^([-+]?)(?:(0[xX][0-9a-fA-F]+|0[bB][01]+|0|[1-9][0-9]*)|0[oO]?([0-7]+))$/

/** Go's strconv.ParseInt(text, 0, 64), then ParseUint: 0x, 0o, 0b and leading-zero octal; undefined if out of range. */
const parseGoInt = (text: string): number | bigint | undefined => {
  const match = INT.exec(text)
  if (!match) return undefined
  const [, sign, number, octal] = match
  const digits = number ?? `0o${octal}`
  const small = Number(digits)
  if (Number.isSafeInteger(small)) return sign === '-' ? 0 - small : small
  const big = sign === '-' ? -BigInt(digits) : BigInt(digits)
  // ParseUint accepts no sign.
  return big < INT64_MIN || big > UINT64_MAX || (sign !== '' && big >= 2n ** 63n) ? undefined : big
}
