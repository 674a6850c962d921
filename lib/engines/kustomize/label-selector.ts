import { checkLabelValue, checkQualifiedName } from '../../foundations/kinds/names.ts'
import { KustomizeError } from './kustomize-error.ts'

type Labels = ReadonlyMap<string, string>
type Requirement = (labels: Labels) => boolean

/** Parses a label selector in kubectl's syntax: `a=b,c!=d,e in (f,g),h,!i,j>1`. */
export const parseLabelSelector = (selector: string): Requirement => {
  const tokens = new Tokens(selector)
  const requirements: Requirement[] = []
  while (tokens.next !== undefined) {
    if (!tokens.isWord && tokens.next !== '!') throw tokens.unlike("!, identifier, or 'end of string'")
    requirements.push(requirement(tokens))
    if (tokens.next === undefined) break
    if (!tokens.skip(',')) throw tokens.unlike("',' or 'end of string'")
    if (!tokens.isWord && tokens.next !== '!') throw tokens.unlike("identifier after ','")
  }
  return labels => requirements.every(matches => matches(labels))
}

const requirement = (tokens: Tokens): Requirement => {
  try {
    const not = tokens.skip('!')
    const key = tokens.word()
    check(`invalid label key ${JSON.stringify(key)}`, checkQualifiedName(key))
    if (not) return labels => !labels.has(key)
    return tokens.endsPart ? labels => labels.has(key) : comparison(key, tokens)
  } catch (error) {
    throw new KustomizeError(`unable to parse requirement: ${(error as Error).message}`)
  }
}

const comparison = (key: string, tokens: Tokens): Requirement => {
  const operator = tokens.oneOf('=', '==', '!=', 'in', 'notin', '<', '>')
  if (!operator) throw tokens.unlike("'=', '!=', '==', 'in', notin'")
  const wanted = operator.endsWith('in') ? values(tokens) : new Set([tokens.endsPart ? '' : tokens.word()])
  const first = [...wanted][0]!
  const limit = operator === '<' || operator === '>' ? integer(first) : undefined
  if (limit === null) throw new KustomizeError("for 'Gt', 'Lt' operators, the value must be an integer")
  for (const value of [...wanted].sort())
    check(`invalid label value: ${JSON.stringify(value)}: at key: ${JSON.stringify(key)}`, checkLabelValue(value))
  if (limit !== undefined)
    return labels => {
      const value = labels.get(key)
      const number = value === undefined ? null : integer(value)
      return number !== null && (operator === '<' ? number < limit : number > limit)
    }
  const isAmong: Requirement = labels => (wanted as ReadonlySet<string | undefined>).has(labels.get(key))
  return operator === '!=' || operator === 'notin' ? labels => !isAmong(labels) : isAmong
}

/** `(a,b)`; nothing between commas is an empty value. */
const values = (tokens: Tokens): Set<string> => {
  if (!tokens.skip('(')) throw new KustomizeError(`found '${tokens.shown}' expected: '('`)
  const found = new Set<string>()
  if (!tokens.isWord && tokens.next !== ',' && tokens.next !== ')') throw tokens.unlike("',', ')' or identifier")
  for (;;) {
    if (tokens.isWord) found.add(tokens.word())
    else if (tokens.next === ',' || tokens.next === ')') found.add('')
    else throw tokens.unlike("',', or identifier")
    if (tokens.skip(')')) return found
    if (!tokens.skip(',')) throw tokens.unlike("',' or ')'")
  }
}

const check = (what: string, problems: readonly string[]): void => {
  if (problems.length > 0) throw new KustomizeError(`${what}: ${problems.join('; ')}`)
}

/** Parsed as a 64-bit integer in Go. */
const integer = (text: string): bigint | null => {
  if (!/^[-+]?\d+$/.test(text)) return null
  const number = BigInt(text)
  return BigInt.asIntN(64, number) === number ? number : null
}

class Tokens {
  private readonly tokens: readonly string[]
  private at = 0

  constructor(selector: string) {
    this.tokens = selector.match(/[=!]=|[=!(),<>]|[^=!(),<> \t\r\n]+/g) ?? []
  }

  get next(): string | undefined {
    return this.tokens[this.at]
  }

  /** '' at the end. */
  get shown(): string {
    return this.next ?? ''
  }

  /** `in` and `notin` may be keys and values too. */
  get isWord(): boolean {
    return /[^=!(),<>]/.test(this.shown)
  }

  get endsPart(): boolean {
    return this.next === undefined || this.next === ','
  }

  skip(token: string): boolean {
    return this.oneOf(token) !== undefined
  }

  oneOf(...tokens: readonly string[]): string | undefined {
    const { shown } = this
    if (!tokens.includes(shown)) return undefined
    this.at++
    return shown
  }

  word(): string {
    if (!this.isWord) throw this.unlike('identifier')
    return this.tokens[this.at++]!
  }

  unlike(expected: string): KustomizeError {
    return new KustomizeError(`found '${this.shown}', expected: ${expected}`)
  }
}
