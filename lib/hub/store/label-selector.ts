import { checkLabelValue, checkQualifiedName } from '../../foundations/kinds/names.ts'
import { invalid } from '../../foundations/kinds/schema/field-error.ts'
import { badRequest } from './api-errors.ts'

type Labels = Readonly<Record<string, string>>
type Requirement = (labels: Labels) => boolean

/** Whether an object's labels match. */
export interface LabelSelector {
  (labels: Labels): boolean
  /** Labels that every matching object has, with one of these values: most others need not be read. */
  readonly required: readonly RequiredLabel[]
}

export interface RequiredLabel {
  readonly key: string
  readonly values: readonly string[]
}

/**
 * Kubernetes' selector syntax: `a=b`, `a==b`, `a!=b`, `a`, `!a`, `a in (b,c)`, `a notin (b,c)`, `a>1`, `a<1`, separated by commas. Fails
 * with BadRequest. As in Kubernetes, `!=` and `notin` also match objects without the label.
 */
export const parseLabelSelector = (text: string): LabelSelector => {
  const tokens = tokenReader(text)
  const requirements: Requirement[] = []
  const required: RequiredLabel[] = []
  while (!tokens.atEnd()) {
    requirements.push(requirement(tokens, required))
    if (tokens.atEnd()) break
    if (!tokens.skip(',')) throw tokens.expected('in, notin, =, ==, !=, gt, lt')
    if (tokens.atEnd()) throw tokens.expected("identifier after ','")
  }
  const matches = (labels: Labels) => requirements.every(holds => holds(labels))
  return Object.assign(matches, { required })
}

const requirement = (tokens: TokenReader, required: RequiredLabel[]): Requirement => {
  if (tokens.skip('!')) return not(present(key(tokens)))
  const name = key(tokens)
  const among = (wanted: ReadonlySet<string>) => {
    required.push({ key: name, values: [...wanted] })
    return oneOf(name, wanted)
  }
  if (tokens.skip('=') || tokens.skip('==')) return among(new Set([value(tokens, name)]))
  if (tokens.skip('!=')) return not(oneOf(name, new Set([value(tokens, name)])))
  if (tokens.skip('in')) return among(values(tokens, name))
  if (tokens.skip('notin')) return not(oneOf(name, values(tokens, name)))
  if (tokens.skip('>')) return compared(name, bound(tokens, name), (label, limit) => label > limit)
  if (tokens.skip('<')) return compared(name, bound(tokens, name), (label, limit) => label < limit)
  return present(name)
}

// ---- requirements ----

const present =
  (name: string): Requirement =>
  labels =>
    Object.hasOwn(labels, name)

const not =
  (selector: Requirement): Requirement =>
  labels =>
    !selector(labels)

const oneOf =
  (name: string, wanted: ReadonlySet<string>): Requirement =>
  labels =>
    Object.hasOwn(labels, name) && wanted.has(labels[name]!)

const compared =
  (name: string, limit: bigint, holds: (label: bigint, limit: bigint) => boolean): Requirement =>
  labels =>
    Object.hasOwn(labels, name) && integer.test(labels[name]!) && holds(BigInt(labels[name]!), limit)

// ---- their parts ----

const key = (tokens: TokenReader): string => {
  const name = tokens.word()
  if (name === undefined) throw tokens.expected('identifier')
  const [problem] = checkQualifiedName(name)
  if (problem) throw unparsable(`<nil>: ${invalid('', name, problem).message}`)
  return name
}

/** May be empty: `a=`, `a in (,b)`. */
const value = (tokens: TokenReader, name: string): string => {
  const found = tokens.word() ?? ''
  const [problem] = checkLabelValue(found)
  if (problem) throw unparsable(`values[0][${name}]: ${invalid('', found, problem).message}`)
  return found
}

const values = (tokens: TokenReader, name: string): ReadonlySet<string> => {
  if (!tokens.skip('(')) throw tokens.expected("'('")
  const found = new Set([value(tokens, name)])
  while (tokens.skip(',')) found.add(value(tokens, name))
  if (!tokens.skip(')')) throw tokens.expected("',', ')' or identifier")
  return found
}

const integer = /^-?\d{1,18}$/

const bound = (tokens: TokenReader, name: string): bigint => {
  const found = value(tokens, name)
  if (integer.test(found)) return BigInt(found)
  throw unparsable(`values[0]: ${invalid('', found, "for 'Gt', 'Lt' operators, the value must be an integer").message}`)
}

// ---- tokens ----

interface TokenReader {
  atEnd(): boolean
  /** Consumes the next token if it equals this one. */
  skip(token: string): boolean
  /** Consumes the next token unless it is a symbol. */
  word(): string | undefined
  expected(what: string): Error
}

const tokenReader = (text: string): TokenReader => {
  const tokens = text.match(/[(),]|==|!=|[=!<>]|[^\s(),=!<>]+/g) ?? []
  let at = 0
  return {
    atEnd: () => at >= tokens.length,
    skip: token => {
      if (tokens[at] !== token) return false
      at++
      return true
    },
    word: () => (/^[^(),=!<>]/.test(tokens[at] ?? '') ? tokens[at++] : undefined),
    expected: what => unparsable(`found '${tokens[at] ?? ''}', expected: ${what}`),
  }
}

const unparsable = (why: string) => badRequest(`unable to parse requirement: ${why}`)
