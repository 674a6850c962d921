import type { Expression } from './evaluate/call.ts'
import { compileTrees } from './evaluate/compile.ts'
import {
  addTemplates,
  type CompiledTemplate,
  DEFAULT_LIMITS,
  type Limits,
  type MissingKey,
  TemplateRun,
  type TemplateSet,
} from './evaluate/run.ts'
import { builtins } from './functions/builtins.ts'
import { Lexer } from './lex.ts'
import type { KnownAction } from './parse/action-head.ts'
import type { PipeNode } from './parse/node.ts'
import { beginParsing } from './parse/parsing.ts'
import { parseTrees } from './parse/statements.ts'
import { TokenReader } from './parse/token-reader.ts'
import { TextCache } from './text-cache.ts'
import { UnboundedValue } from './values/require-bounded.ts'
import type { FunctionMap, Value } from './values/value.ts'

export interface TemplateOptions {
  /** Functions besides Go's builtins, which they may replace. */
  readonly functions?: FunctionMap
  /** The delimiters of an action; `{{` and `}}` by default. */
  readonly delimiters?: readonly [left: string, right: string]
  /** The value of an absent map key; no value by default. */
  readonly missingKey?: MissingKey
  /** Cache of parsed texts. All users must have the same functions and delimiters. */
  readonly cache?: TemplateCache
}

/** Cache of parsed texts, by name and text, of 16 Mi characters by default. */
export class TemplateCache {
  private readonly parsed: TextCache<Map<string, TemplateSet>>

  constructor(maxCharacters = 16 * 1024 * 1024) {
    this.parsed = new TextCache(maxCharacters)
  }

  parsedAs(name: string, text: string, parse: () => TemplateSet): TemplateSet {
    const byName = this.parsed.of(text, () => new Map())
    let set = byName.get(name)
    if (!set) {
      set = parse()
      byName.set(name, set)
    }
    return set
  }
}

export interface RunOptions {
  /** Replacements for functions whose results belong to one run, such as `inputs`. */
  readonly calls?: ReadonlyMap<string, (...args: Value[]) => Value>
  readonly limits?: Partial<Limits>
}

/** A parsed template: it can be executed any number of times, with different data. */
export interface Template {
  readonly name: string
  /** The output for the data, which functions like `set` may modify. Throws TemplateError. */
  execute(data: Value, options?: RunOptions): string
  /** The same for a template that the text defines. */
  executeTemplate(name: string, data: Value, options?: RunOptions): string
}

/**
 * Parses a text of Go's text/template. Throws TemplateError with Go's message, which starts with `template: NAME:LINE:`. Known differences:
 * slices cut between characters where Go cuts bytes, and times are the only values with methods.
 */
export const parseTemplate = (name: string, text: string, options: TemplateOptions = {}): Template => {
  const group = newTemplateGroup(name, options)
  group.add(name, text)
  return group
}

/** Several texts that can call each other's templates, like those of Go's Template.New and Parse. */
export interface TemplateGroup extends Template {
  /** Parses a text under a name. Its definitions replace earlier ones, unless they are empty. Throws TemplateError. */
  add(name: string, text: string): void
}

/** An empty group; `name` identifies it in messages. */
export const newTemplateGroup = (name: string, options: TemplateOptions = {}): TemplateGroup => {
  const { functions = NO_FUNCTIONS, delimiters: [left, right] = ['{{', '}}'], missingKey, cache } = options
  const known = new Map<string, KnownAction>()
  const find = (word: string) => functions.get(word) ?? builtins.get(word)
  const compiling = { functionNamed: find, shared: new Map<PipeNode, Expression>() }
  const parseNew = (name: string, text: string): TemplateSet => {
    const lexer = new Lexer(text, { left, right, isFunction: word => functions.has(word) })
    const tokens = new TokenReader(lexer)
    const hasFunction = (word: string) => find(word) !== undefined
    return compileTrees(parseTrees(beginParsing(name, text, { tokens, hasFunction, known, right })), compiling)
  }
  const parse = (name: string, text: string): TemplateSet =>
    cache ? cache.parsedAs(name, text, () => parseNew(name, text)) : parseNew(name, text)
  const templates = new Map<string, CompiledTemplate>()
  const executeTemplate = (which: string, data: Value, { calls = NO_CALLS, limits }: RunOptions = {}): string => {
    const settings = { name, missingKey, calls, limits: { ...DEFAULT_LIMITS, ...limits }, templates, parse }
    return execute(new TemplateRun(settings), which, data)
  }
  return {
    name,
    add: (name, text) => addTemplates(templates, parse(name, text)),
    execute: (data, run) => executeTemplate(name, data, run),
    executeTemplate,
  }
}

const NO_FUNCTIONS: FunctionMap = new Map()
const NO_CALLS: NonNullable<RunOptions['calls']> = new Map()

const execute = (run: TemplateRun, which: string, data: Value): string => {
  try {
    return run.render(which, data)
  } catch (error) {
    if (error instanceof RangeError) return run.fail('nested too deeply')
    if (error instanceof UnboundedValue) return run.fail(error.message)
    throw error
  }
}
