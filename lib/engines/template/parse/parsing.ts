import { quote } from '../../../foundations/go/quote.ts'
import { TemplateSyntaxError } from '../template-error.ts'
import { isKeyword, type Token, type TokenType } from '../token.ts'
import { byteLength } from '../values/text.ts'
import type { Tree } from './node.ts'
import type { TokenReader } from './token-reader.ts'

/** State shared while parsing one text: its tokens, templates and errors. */
export interface Parsing {
  readonly parseName: string
  readonly text: string
  readonly tokens: TokenReader
  readonly trees: Map<string, Tree>
  readonly hasFunction: (name: string) => boolean
  /** The line where the current action started; 0 outside of actions. */
  actionLine: number
  /** Fails with a line number: that of the last token unless given. */
  fail(message: string, line?: number): never
  /** Fails because of an unexpected token. */
  unexpected(token: Token, context: string): never
  expect(types: readonly TokenType[], context: string): Token
  addTree(tree: Tree): void
}

/** State of one template body: each `define` starts a new one. */
export interface Scope {
  variables: string[]
  rangeDepth: number
  /** Nesting depth of parentheses and control structures. */
  depth: number
}

/** Far more than people write, and small enough for the stack. */
const MAX_DEPTH = 300

export const newScope = (): Scope => ({ variables: ['$'], rangeDepth: 0, depth: 0 })

export const nested = <T>(parsing: Parsing, scope: Scope, parse: () => T): T => {
  if (scope.depth >= MAX_DEPTH) parsing.fail('max expression depth exceeded')
  scope.depth++
  const result = parse()
  scope.depth--
  return result
}

export const beginParsing = (
  name: string,
  text: string,
  tokens: TokenReader,
  hasFunction: (name: string) => boolean,
): Parsing => {
  const trees = new Map<string, Tree>()
  const fail = (message: string, line = tokens.line()): never => {
    throw new TemplateSyntaxError(`template: ${name}:${line}: ${message}`)
  }
  const unexpected = (token: Token, context: string): never =>
    fail(token.type === 'error' ? token.value + startOf(token) : `unexpected ${describe(token)} in ${context}`)
  /** The start of the action with a broken token, if it is on an earlier line. */
  const startOf = (token: Token): string => {
    const { actionLine } = parsing
    if (actionLine === 0 || actionLine === token.line) return ''
    return `${token.value.endsWith(' action') ? '' : ' in action'} started at ${name}:${actionLine}`
  }
  const parsing: Parsing = {
    parseName: name,
    text,
    tokens,
    trees,
    hasFunction,
    actionLine: 0,
    fail,
    unexpected,
    expect(types, context) {
      const token = tokens.nextNonSpace()
      return types.includes(token.type) ? token : unexpected(token, context)
    },
    addTree(tree) {
      const known = trees.get(tree.name)
      if (!known || isEmptyTree(known)) trees.set(tree.name, tree)
      else if (!isEmptyTree(tree)) fail(`template: multiple definition of template ${quote(tree.name)}`)
    },
  }
  return parsing
}

/** Whether a template contains only spaces and comments: it may be redefined. */
export const isEmptyTree = ({ root }: Tree): boolean =>
  root.every(node => node.type === 'text' && /^\p{White_Space}*$/u.test(node.text))

const describe = ({ type, value }: Token): string => {
  if (isKeyword(type) || type === 'dot') return `<${value}>`
  return byteLength(value) > 10 ? `${quote([...value].slice(0, 10).join(''))}...` : quote(value)
}
