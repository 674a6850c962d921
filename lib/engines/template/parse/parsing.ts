import { quote } from '../../../foundations/go/quote.ts'
import { TemplateSyntaxError } from '../template-error.ts'
import { isKeyword, type Token, type TokenType } from '../token.ts'
import { byteLength } from '../values/text.ts'
import type { KnownAction } from './action-head.ts'
import type { Tree } from './node.ts'
import type { TokenReader } from './token-reader.ts'

/** State shared while parsing one text: its tokens, templates and errors. */
export interface Parsing {
  readonly parseName: string
  readonly text: string
  readonly tokens: TokenReader
  readonly trees: Map<string, Tree>
  readonly hasFunction: (name: string) => boolean
  /** Actions of the same functions and delimiters, by their text. */
  readonly known: Map<string, KnownAction>
  readonly right: string
  /** Where the last action starts. */
  start: number
  /** Whether messages name that start. */
  isInAction: boolean
  /** Variables that the last action uses. */
  used: string[]
  /** The depth that the last action has reached. */
  deepest: number
  /** Fails with the line of a position: that of the last token unless given. */
  fail(message: string, position?: number): never
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
export const MAX_DEPTH = 300

/** The scope of a template body, in which only `$` is declared. */
export const newScope = (): Scope => ({ variables: ['$'], rangeDepth: 0, depth: 0 })

/** Parses one level deeper. Throws TemplateSyntaxError beyond `MAX_DEPTH`, before the stack overflows. */
export const nested = <T>(parsing: Parsing, scope: Scope, parse: (parsing: Parsing, scope: Scope) => T): T => {
  if (scope.depth >= MAX_DEPTH) parsing.fail('max expression depth exceeded')
  scope.depth++
  parsing.deepest = Math.max(parsing.deepest, scope.depth)
  const result = parse(parsing, scope)
  scope.depth--
  return result
}

export interface ParsingOptions {
  readonly tokens: TokenReader
  readonly hasFunction: (name: string) => boolean
  readonly known: Map<string, KnownAction>
  /** The right delimiter. */
  readonly right: string
}

/**
 * The state before the first token of a text. `name` is that of the template in messages: `template: name:3: unexpected
 * ...`.
 */
export const beginParsing = (name: string, text: string, options: ParsingOptions): Parsing => {
  const { tokens } = options
  const trees = new Map<string, Tree>()
  const lineOf = (position: number): number => 1 + (text.slice(0, position).match(/\n/g)?.length ?? 0)
  const fail = (message: string, position = tokens.position): never => {
    throw new TemplateSyntaxError(`template: ${name}:${lineOf(position)}: ${message}`)
  }
  const unexpected = (token: Token, context: string): never =>
    fail(token.type === 'error' ? token.value + startOf(token) : `unexpected ${describe(token)} in ${context}`)
  /** The start of the action with a broken token, if it is on an earlier line. */
  const startOf = (token: Token): string => {
    const { start, isInAction } = parsing
    if (!isInAction || lineOf(start) === lineOf(token.position)) return ''
    return `${token.value.endsWith(' action') ? '' : ' in action'} started at ${name}:${lineOf(start)}`
  }
  const parsing: Parsing = {
    ...options,
    parseName: name,
    text,
    trees,
    start: 0,
    isInAction: false,
    used: [],
    deepest: 0,
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
