import { type Expression, type Operator, SubstitutionError, type Template } from './expression.ts'

/** Deeper nesting is an attack on the stack. */
const MAX_DEPTH = 100

/**
 * Parses a text like drone/envsubst in Flux's fork: `${name...}` is an expression, `$$` a dollar sign, and any other dollar sign is itself.
 * Fails with a SubstitutionError.
 */
export const parseTemplate = (text: string): Template => {
  const scanner = new Scanner(text)
  const parts: (string | Expression)[] = []
  while (!scanner.isAtEnd())
    parts.push(scanner.takes('${') ? expression(scanner, 1) : scanner.text({ escapes: ['$$'] }))
  return parts
}

/** Parses what follows `${`, including the closing brace. */
const expression = (scanner: Scanner, depth: number): Expression => {
  if (depth > MAX_DEPTH) throw new SubstitutionError('bad substitution: expressions are nested too deeply')
  if (scanner.takes('#')) {
    const variable = scanner.name()
    return closed(scanner, { variable, operator: 'length', operands: [] }, variable !== '')
  }
  const variable = scanner.name()
  if (!variable) throw new SubstitutionError('unable to parse variable name')
  const operand = operandReader(scanner, depth)

  const defaulting = scanner.takesOneOf(['=', ':=', ':-', ':?', ':+'])
  if (defaulting) {
    const operands: Template[] = []
    while (!scanner.sees('}')) operands.push(operand({ until: '}' }))
    return closed(scanner, { variable, operator: defaulting, operands })
  }
  if (scanner.takes(':')) {
    // After a multi-byte character the original's scanner steps back too far, and reads the name again.
    if (scanner.isAtEnd() || scanner.seesBeyondAscii()) throw new SubstitutionError('bad substitution')
    const operands = [operand({ until: ':}' })]
    if (scanner.takesRun(':')) operands.push(operand({ until: '}' }))
    return closed(scanner, { variable, operator: ':', operands })
  }
  const replacing = scanner.takesOneOf(['//', '/#', '/%', '/'])
  if (replacing) {
    const escapes = ['$$', '\\/', '\\\\']
    const operands = [operand({ until: '/', escapes })]
    if (!scanner.takesRun('/')) throw new SubstitutionError('bad substitution')
    if (!scanner.sees('}')) operands.push(operand({ until: '}', escapes }))
    return closed(scanner, { variable, operator: replacing, operands })
  }
  const removing = scanner.takesOneOf(['##', '#', '%%', '%'])
  if (removing) return closed(scanner, { variable, operator: removing, operands: [operand({ until: '}' })] })
  const casing = scanner.takesOneOf(['^^', ',,', '^,', ',^', '^', ','])
  if (casing) return closed(scanner, { variable, operator: casing, operands: [] })

  if (!scanner.takes('}')) throw new SubstitutionError('missing closing brace')
  return { variable, operator: '', operands: [] }
}

const closed = (scanner: Scanner, expression: Expression, isComplete = true): Expression => {
  if (!isComplete || !scanner.takes('}')) throw new SubstitutionError('bad substitution')
  return expression
}

/** An operand is either an expression or a text; only defaults may consist of several in a row. */
const operandReader =
  (scanner: Scanner, depth: number) =>
  (extent: Extent): Template => {
    const part = scanner.takes('${') ? expression(scanner, depth + 1) : scanner.text(extent)
    if (part === '') throw new SubstitutionError('unable to parse substitution within function')
    return [part]
  }

interface Extent {
  /** Characters that end the text. */
  readonly until?: string
  /** Two-character sequences of which only the second character is kept. */
  readonly escapes?: readonly string[]
}

const NAME = /[\p{L}\p{Nd}_]*/uy

class Scanner {
  readonly #text: string
  #position = 0

  constructor(text: string) {
    this.#text = text
  }

  isAtEnd(): boolean {
    return this.#position >= this.#text.length
  }

  sees(expected: string): boolean {
    return this.#text.startsWith(expected, this.#position)
  }

  seesBeyondAscii(): boolean {
    return this.#text.charCodeAt(this.#position) > 0x7f
  }

  takes(expected: string): boolean {
    const isThere = this.sees(expected)
    if (isThere) this.#position += expected.length
    return isThere
  }

  /** The first candidate that matches. */
  takesOneOf<T extends Operator>(candidates: readonly T[]): T | undefined {
    return candidates.find(candidate => this.takes(candidate))
  }

  takesRun(character: string): boolean {
    if (!this.takes(character)) return false
    while (this.takes(character));
    return true
  }

  name(): string {
    NAME.lastIndex = this.#position
    const [name] = NAME.exec(this.#text)!
    this.#position += name.length
    return name
  }

  /** Text up to the next expression, a terminating character or the end. */
  text({ until = '', escapes }: Extent): string {
    let text = ''
    let start = this.#position
    for (; !this.isAtEnd(); this.#position++) {
      const character = this.#text[this.#position]!
      if (character === '$' && this.sees('${')) break
      if ((character === '$' || character === '\\') && escapes?.some(pair => this.sees(pair))) {
        text += this.#text.slice(start, this.#position++)
        start = this.#position
      } else if (until.includes(character)) break
    }
    return text + this.#text.slice(start, this.#position)
  }
}
