import { compileTrees } from './evaluate/compile.ts'
import {
  addTemplates,
  type CompiledTemplate,
  DEFAULT_LIMITS,
  type Limits,
  type MissingKey,
  Run,
  type TemplateSet,
} from './evaluate/run.ts'
import { builtins } from './functions/builtins.ts'
import { Lexer } from './lex.ts'
import { beginParsing } from './parse/parsing.ts'
import { parseTrees } from './parse/statements.ts'
import { readTokens } from './parse/token-reader.ts'
import { UnboundedValue } from './values/require-bounded.ts'
import type { FunctionMap, Value } from './values/value.ts'

export interface TemplateOptions {
  /** Known besides Go's builtins, which they may replace. */
  readonly functions?: FunctionMap
  /** What encloses an action: `{{` and `}}` unless told. */
  readonly delimiters?: readonly [left: string, right: string]
  /** How a map key that is absent reads; no value unless told. */
  readonly missingKey?: MissingKey
  /** Keeps what texts were parsed to. Its users must know the same functions, and enclose actions alike. */
  readonly cache?: TemplateCache
}

/** Texts that were parsed, by name and text: who renders the same templates again and again passes one. */
export class TemplateCache {
  private readonly parsed = new Map<string, TemplateSet>()
  private characters = 0
  private readonly maxCharacters: number

  /** Holds texts of so many characters together; when there are more it begins anew. */
  constructor(maxCharacters = 16 * 1024 * 1024) {
    this.maxCharacters = maxCharacters
  }

  parsedAs(name: string, text: string, parse: () => TemplateSet): TemplateSet {
    const key = `${name}\0${text}`
    const known = this.parsed.get(key)
    if (known) return known
    const set = parse()
    this.characters += key.length
    if (this.characters > this.maxCharacters) {
      this.parsed.clear()
      this.characters = key.length
    }
    this.parsed.set(key, set)
    return set
  }
}

export interface RunOptions {
  /** For functions whose answers belong to one run, such as `inputs`: what to call in place of the function parsed with. */
  readonly calls?: ReadonlyMap<string, (...args: Value[]) => Value>
  readonly limits?: Partial<Limits>
}

/** A parsed template: run it as often as you like, also with different data. */
export interface Template {
  readonly name: string
  /** The text it makes of the data, which functions like `set` may change. Throws TemplateError. */
  execute(data: Value, options?: RunOptions): string
  /** The same for a template defined inside. */
  executeTemplate(name: string, data: Value, options?: RunOptions): string
}

/**
 * Parses a text of Go's text/template. Throws TemplateError with Go's message, which starts with `template: NAME:LINE:`.
 * Known to differ: text is cut between characters where Go cuts bytes, and no methods but those of times are there to call.
 */
export const parseTemplate = (name: string, text: string, options: TemplateOptions = {}): Template => {
  const group = newTemplateGroup(name, options)
  group.add(name, text)
  return group
}

/** Several texts that know each other's templates, as `New` and `Parse` of Go's Template make them. */
export interface TemplateGroup extends Template {
  /** Parses a text under a name. What it defines replaces what earlier texts did, unless it is empty. Throws TemplateError. */
  add(name: string, text: string): void
}

/** A group without a text yet; `name` is what messages call it. */
export const newTemplateGroup = (name: string, options: TemplateOptions = {}): TemplateGroup => {
  const { functions = NO_FUNCTIONS, delimiters: [left, right] = ['{{', '}}'], missingKey, cache } = options
  const find = (word: string) => functions.get(word) ?? builtins.get(word)
  const parseNew = (name: string, text: string): TemplateSet => {
    const lexer = new Lexer(text, { left, right, isFunction: word => functions.has(word) })
    const parsing = beginParsing(name, text, readTokens(lexer), word => find(word) !== undefined)
    return compileTrees(parseTrees(parsing), find)
  }
  const parse = (name: string, text: string): TemplateSet =>
    cache ? cache.parsedAs(name, text, () => parseNew(name, text)) : parseNew(name, text)
  const templates = new Map<string, CompiledTemplate>()
  const executeTemplate = (which: string, data: Value, { calls = NO_CALLS, limits }: RunOptions = {}): string => {
    const settings = { name, missingKey, calls, limits: { ...DEFAULT_LIMITS, ...limits }, templates, parse }
    return execute(new Run(settings), which, data)
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

const execute = (run: Run, which: string, data: Value): string => {
  try {
    return run.render(which, data)
  } catch (error) {
    if (error instanceof RangeError) return run.fail('nested too deeply')
    if (error instanceof UnboundedValue) return run.fail(error.message)
    throw error
  }
}
