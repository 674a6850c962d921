import { quote } from '../../../foundations/go/quote.ts'
import type { Token, TokenType } from '../token.ts'
import type { ChainNode, CommandNode, Operand, PipeNode, VariableNode } from './node.ts'
import { readNumber } from './number.ts'
import { nested, type Parsing, type Scope } from './parsing.ts'
import { unquote } from './unquote.ts'
import { writeNode } from './write-node.ts'

const STARTS_COMMAND: ReadonlySet<TokenType> = new Set<TokenType>([
  ...(['bool', 'char constant', 'complex', 'dot', 'field', 'identifier', 'number'] as const),
  ...(['nil', 'raw string', 'string', 'variable', 'left paren'] as const),
])

/** Declarations and commands up to the token `end`. */
export const parsePipeline = (parsing: Parsing, scope: Scope, context: string, end: TokenType): PipeNode => {
  const { tokens, fail, unexpected } = parsing
  const position = tokens.peekNonSpace().position - parsing.start
  const { declarations, isAssign } = parseDeclarations(parsing, scope, context)
  const commands: CommandNode[] = []
  for (;;) {
    const token = tokens.nextNonSpace()
    if (token.type === end) break
    if (!STARTS_COMMAND.has(token.type)) unexpected(token, context)
    tokens.putBack()
    commands.push(parseCommand(parsing, scope))
  }
  if (commands.length === 0) fail(`missing value for ${context}`)
  for (const [i, { operands }] of commands.entries())
    if (i > 0 && ['bool', 'dot', 'nil', 'number', 'string'].includes(operands[0].type))
      fail(`non executable command in pipeline stage ${i + 1}`)
  return { type: 'pipe', position, isAssign, declarations, commands }
}

/** `$x :=`, `$x =`, or in a range `$i, $x :=`; puts back a variable that is only used. */
const parseDeclarations = (
  { tokens, fail, start }: Parsing,
  scope: Scope,
  context: string,
): { declarations: VariableNode[]; isAssign: boolean } => {
  const declarations: VariableNode[] = []
  const declare = ({ position, value }: Token): void => {
    tokens.nextNonSpace()
    declarations.push(variableNode(position - start, value))
    scope.variables.push(value)
  }
  let isAssign = false
  while (tokens.peekNonSpace().type === 'variable') {
    const { mark } = tokens
    const variable = tokens.next()
    const next = tokens.peekNonSpace()
    if (next.type === 'assign' || next.type === 'declare') {
      isAssign = next.type === 'assign'
      declare(variable)
    } else if (next.value === ',') {
      declare(variable)
      if (context !== 'range' || declarations.length > 1) fail(`too many declarations in ${context}`)
      if (['variable', 'right delimiter'].includes(tokens.peekNonSpace().type)) continue
      fail('range can only initialize variables')
    } else tokens.rewind(mark)
    break
  }
  return { declarations, isAssign }
}

/** A command; the first token starts an operand. */
const parseCommand = (parsing: Parsing, scope: Scope): CommandNode => {
  const { tokens } = parsing
  const position = tokens.peekNonSpace().position - parsing.start
  const operands: Operand[] = []
  for (;;) {
    const operand = parseOperand(parsing, scope)
    if (operand) operands.push(operand)
    const token = tokens.next()
    if (token.type === 'space') continue
    if (token.type === 'right delimiter' || token.type === 'right paren') tokens.putBack()
    else if (token.type !== 'pipe') parsing.unexpected(token, 'operand')
    break
  }
  return { type: 'command', position, operands: operands as [Operand, ...Operand[]] }
}

/** A term with its fields; undefined if no operand starts here. */
const parseOperand = (parsing: Parsing, scope: Scope): Operand | undefined => {
  const { tokens } = parsing
  const term = parseTerm(parsing, scope)
  if (!term || tokens.peek().type !== 'field') return term
  const position = tokens.peek().position - parsing.start
  const fields: string[] = []
  while (tokens.peek().type === 'field') fields.push(tokens.next().value.slice(1))
  switch (term.type) {
    case 'field':
    case 'variable':
      return { ...term, position, fields: [...term.fields, ...fields] }
    case 'bool':
    case 'string':
    case 'number':
    case 'nil':
    case 'dot':
      return parsing.fail(`unexpected . after term ${quote(writeNode(term))}`)
    default:
      return { type: 'chain', position, of: term, fields }
  }
}

const parseTerm = (parsing: Parsing, scope: Scope): Exclude<Operand, ChainNode> | undefined => {
  const { tokens, fail } = parsing
  const token = tokens.nextNonSpace()
  const { value } = token
  const position = token.position - parsing.start
  switch (token.type) {
    case 'identifier':
      if (!parsing.hasFunction(value)) fail(`function ${quote(value)} not defined`)
      return { type: 'identifier', position, name: value }
    case 'dot':
    case 'nil':
      return { type: token.type, position }
    case 'variable':
      if (!scope.variables.includes(value)) fail(`undefined variable ${quote(value)}`)
      parsing.used.push(value)
      return variableNode(position, value)
    case 'field':
      return { type: 'field', position, fields: [value.slice(1)] }
    case 'bool':
      return { type: 'bool', position, value: value === 'true' }
    case 'char constant':
    case 'complex':
    case 'number':
      return { type: 'number', position, ...orFail(parsing, () => readNumber(value, token.type as 'number')) }
    case 'left paren':
      return nested(parsing, scope, () => parsePipeline(parsing, scope, 'parenthesized pipeline', 'right paren'))
    case 'string':
    case 'raw string':
      return { type: 'string', position, quoted: value, text: unquoted(parsing, value) }
  }
  tokens.putBack()
  return undefined
}

const variableNode = (position: number, name: string): VariableNode => ({
  type: 'variable',
  position,
  name,
  fields: [],
})

/** A literal's text. Throws TemplateSyntaxError where Go's strconv.Unquote fails. */
export const unquoted = (parsing: Parsing, literal: string): string => {
  const text = unquote(literal)
  return text === undefined ? parsing.fail('invalid syntax') : text
}

const orFail = <T>(parsing: Parsing, read: () => T): T => {
  try {
    return read()
  } catch (error) {
    return parsing.fail((error as Error).message)
  }
}
