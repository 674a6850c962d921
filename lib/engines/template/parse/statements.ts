import type { Head } from './action-head.ts'
import { knownOrParsed } from './known-action.ts'
import type { BranchNode, PipeNode, Statement, Tree } from './node.ts'
import { nested, newScope, type Parsing, type Scope } from './parsing.ts'
import { parsePipeline, unquoted } from './pipeline.ts'

/** The two actions that end a list of statements. */
interface Terminator {
  readonly type: 'end' | 'else'
}

/** All templates of a text, by name; the text itself under its own name. */
export const parseTrees = (parsing: Parsing): ReadonlyMap<string, Tree> => {
  const { parseName, text } = parsing
  const root = parseBody(parsing, newScope())
  parsing.addTree({ name: parseName, parseName, text, root })
  return parsing.trees
}

/** The outermost statements of a text; definitions are only allowed here. */
const parseBody = (parsing: Parsing, scope: Scope): Statement[] => {
  const { tokens, fail } = parsing
  const root: Statement[] = []
  while (tokens.peek().type !== 'eof') {
    const { mark } = tokens
    tokens.next()
    if (tokens.nextNonSpace().type === 'define') {
      parseDefinition(parsing)
      continue
    }
    tokens.rewind(mark)
    const node = parseStatement(parsing, scope)
    if (isTerminator(node)) fail(`unexpected ${written(node)}`)
    else root.push(node)
  }
  return root
}

const isTerminator = (node: Statement | Terminator): node is Terminator => node.type === 'end' || node.type === 'else'
const written = ({ type }: Terminator): string => `{{${type}}}`

const parseDefinition = (parsing: Parsing): void => {
  const context = 'define clause'
  const name = unquoted(parsing, parsing.expect(['string', 'raw string'], context).value)
  parsing.expect(['right delimiter'], context)
  addBody(parsing, name, context)
}

/** Parses statements up to `end` as a separate template. If they end otherwise, the error refers to `began`, if given. */
const addBody = (parsing: Parsing, name: string, context: string, began?: number): void => {
  parsing.isInAction = false
  const { list, end } = parseList(parsing, newScope())
  if (end.type !== 'end') parsing.fail(`unexpected ${written(end)} in ${context}`, began)
  parsing.addTree({ name, parseName: parsing.parseName, text: parsing.text, root: list })
}

const parseList = (parsing: Parsing, scope: Scope): { list: Statement[]; end: Terminator } => {
  const list: Statement[] = []
  while (parsing.tokens.peekNonSpace().type !== 'eof') {
    const node = parseStatement(parsing, scope)
    if (isTerminator(node)) return { list, end: node }
    list.push(node)
  }
  return parsing.fail('unexpected EOF')
}

const parseStatement = (parsing: Parsing, scope: Scope): Statement | Terminator => {
  const token = parsing.tokens.nextNonSpace()
  if (token.type === 'text') return { type: 'text', text: token.value }
  if (token.type !== 'left delimiter') return parsing.unexpected(token, 'input')
  parsing.start = token.position
  parsing.isInAction = true
  const node = nested(parsing, scope, parseAction)
  parsing.isInAction = false
  return node
}

const parseAction = (parsing: Parsing, scope: Scope): Statement | Terminator => {
  const { start } = parsing
  const variables = scope.variables.length
  const head = knownOrParsed(parsing, scope, parseHead)
  switch (head.type) {
    case 'if':
    case 'range':
    case 'with':
      return parseBranch(parsing, scope, { ...head, start, variables })
    case 'block':
      return parseBlock(parsing, scope)
    case 'action':
    case 'template':
      return { ...head, start }
    default:
      return head
  }
}

/** An action up to its right delimiter; of a block the keyword. */
const parseHead = (parsing: Parsing, scope: Scope): Head => {
  const { tokens, expect } = parsing
  const token = tokens.nextNonSpace()
  switch (token.type) {
    case 'if':
    case 'range':
    case 'with':
      return { type: token.type, pipe: parsePipeline(parsing, scope, token.type, 'right delimiter') }
    case 'else': {
      const next = tokens.peekNonSpace().type
      if (next !== 'if' && next !== 'with') expect(['right delimiter'], 'else')
      return { type: 'else' }
    }
    case 'end':
      expect(['right delimiter'], 'end')
      return { type: 'end' }
    case 'break':
    case 'continue': {
      const next = tokens.nextNonSpace()
      if (next.type !== 'right delimiter') parsing.unexpected(next, `{{${token.type}}}`)
      if (scope.rangeDepth === 0) parsing.fail(`{{${token.type}}} outside {{range}}`)
      return { type: token.type }
    }
    case 'template':
      return parseTemplate(parsing, scope)
    case 'block':
      return { type: 'block' }
  }
  tokens.putBack()
  const position = token.position - parsing.start
  return { type: 'action', position, pipe: parsePipeline(parsing, scope, 'command', 'right delimiter') }
}

/** The beginning of a control structure. */
interface BranchHead extends Pick<BranchNode, 'type' | 'pipe' | 'start'> {
  /** How many variables were in scope before it. */
  readonly variables: number
}

/** A control structure behind its head; its variables go out of scope at its end. */
const parseBranch = (parsing: Parsing, scope: Scope, { variables, ...head }: BranchHead): BranchNode => {
  const { type } = head
  if (type === 'range') scope.rangeDepth++
  const { list, end } = parseList(parsing, scope)
  if (type === 'range') scope.rangeDepth--
  const elseList = end.type === 'else' ? parseElse(parsing, scope, type) : undefined
  scope.variables.length = variables
  return { ...head, list, elseList }
}

/** What follows `else`: another condition of the same kind, with a common `end`, or statements. */
const parseElse = (parsing: Parsing, scope: Scope, type: BranchNode['type']): Statement[] => {
  const { tokens, fail } = parsing
  if (tokens.peek().type === type) {
    tokens.next()
    return [nested(parsing, scope, () => parseElseBranch(parsing, scope, type))]
  }
  const { list, end } = parseList(parsing, scope)
  if (end.type !== 'end') fail(`expected end; found ${written(end)}`)
  return list
}

const parseElseBranch = (parsing: Parsing, scope: Scope, type: BranchNode['type']): BranchNode => {
  const { start } = parsing
  const variables = scope.variables.length
  return parseBranch(parsing, scope, {
    type,
    start,
    variables,
    pipe: parsePipeline(parsing, scope, type, 'right delimiter'),
  })
}

const parseTemplate = (parsing: Parsing, scope: Scope): Head => {
  const context = 'template clause'
  const { name, position } = parseTemplateName(parsing, context)
  const next = parsing.tokens.nextNonSpace()
  let pipe: PipeNode | undefined
  if (next.type !== 'right delimiter') {
    parsing.tokens.putBack()
    pipe = parsePipeline(parsing, scope, context, 'right delimiter')
  }
  return { type: 'template', position, name, pipe }
}

/** A definition that is also used in place. */
const parseBlock = (parsing: Parsing, scope: Scope): Statement => {
  const context = 'block clause'
  const { start } = parsing
  const { name, position } = parseTemplateName(parsing, context)
  const pipe = parsePipeline(parsing, scope, context, 'right delimiter')
  addBody(parsing, name, context, parsing.tokens.position)
  return { type: 'template', start, position, name, pipe }
}

const parseTemplateName = (parsing: Parsing, context: string): { name: string; position: number } => {
  const { value, position } = parsing.expect(['string', 'raw string'], context)
  return { name: unquoted(parsing, value), position: position - parsing.start }
}
