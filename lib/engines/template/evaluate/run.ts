import { quote } from '../../../foundations/go/quote.ts'
import type { Node, Tree } from '../parse/node.ts'
import { isEmptyTree } from '../parse/parsing.ts'
import { writeNode } from '../parse/write-node.ts'
import { TemplateError } from '../template-error.ts'
import { byteLength } from '../values/text.ts'
import type { RunContext, Value } from '../values/value.ts'

/** How a list of statements ended: at its end, or with break or continue. */
export type Ending = 'end' | 'break' | 'continue'
export type Execution = (run: TemplateRun) => Ending

/** A template compiled to closures: all lookups are done once. */
export interface CompiledTemplate {
  readonly tree: Tree
  readonly execute: Execution
}

/** Templates that can call each other, by name. */
export type TemplateSet = ReadonlyMap<string, CompiledTemplate>

/** Adds the templates of another text: they replace those of the same name, unless they are empty. */
export const addTemplates = (set: Map<string, CompiledTemplate>, added: TemplateSet): void => {
  for (const [name, template] of added) if (!set.has(name) || !isEmptyTree(template.tree)) set.set(name, template)
}

/** Finds a template by its name. */
export type TemplateLookup = Pick<TemplateSet, 'get'>

/** The same as adding them to a copy: the copy of a large chart's templates would cost more than most texts that are expanded. */
const withTemplates = (below: TemplateLookup, added: TemplateSet): TemplateLookup => {
  const own = new Map<string, CompiledTemplate>()
  for (const [name, template] of added) if (!below.get(name) || !isEmptyTree(template.tree)) own.set(name, template)
  return { get: name => own.get(name) ?? below.get(name) }
}

/** Limits of an execution: a hostile template fails instead of filling the memory or blocking the process. */
export interface Limits {
  /** Actions, texts and loop iterations. */
  readonly steps: number
  /** Depth of nested template calls. */
  readonly depth: number
  /** Characters written, and also characters that functions create along the way. */
  readonly output: number
  /** Called every `stepsBetweenChecks` steps; true ends the run. */
  readonly isLate?: () => boolean
}

export const stepsBetweenChecks = 1024

export const DEFAULT_LIMITS: Limits = { steps: 5_000_000, depth: 400, output: 32 * 1024 * 1024 }

/** The value of an absent map key, if not no value: the zero value, or an error. */
export type MissingKey = 'zero' | 'error'

export interface RunSettings {
  /** What messages call the group of templates, and expanded texts. */
  readonly name: string
  readonly missingKey: MissingKey | undefined
  readonly limits: Limits
  /** Functions of this run only, replacing those known at parse time. */
  readonly calls: ReadonlyMap<string, (...args: Value[]) => Value>
  /** Templates that can be called by name. */
  readonly templates: TemplateSet
  /** Compiles another text. */
  readonly parse: (name: string, text: string) => TemplateSet
}

/** One execution of a template. */
export class TemplateRun implements RunContext {
  output = ''
  /** The node that an error would refer to. */
  node: Node | undefined
  tree: Tree
  /** Where the action of that node starts. */
  start = 0
  dot: Value
  /** Whether dot was read from a list or map of `interface {}`: Go's messages call it an interface then, whatever it is. */
  isDotBoxed = false
  /** Variables of the current template, by slot; `$` is the first. */
  variables: Value[] = []
  /** Which of them are boxed like that. */
  boxed: boolean[] = []
  depth = 0
  readonly missingKey: MissingKey | undefined
  readonly calls: RunSettings['calls']
  private readonly rootName: string
  private templates: TemplateLookup
  private readonly parse: RunSettings['parse']
  private readonly limits: Limits
  private steps = 0
  private made = 0

  constructor({ name, missingKey, limits, calls, templates, parse }: RunSettings) {
    this.rootName = name
    this.tree = { name, parseName: name, text: '', root: [] }
    this.missingKey = missingKey
    this.calls = calls
    this.templates = templates
    this.parse = parse
    this.limits = limits
  }

  /** Fails with Go's message: template, line, column and node. `cause` is the error at the end of the message, if any. */
  fail(problem: string, cause?: unknown): never {
    const { tree, node } = this
    if (!node) throw new TemplateError(`template: ${tree.name}: ${problem}`, { cause })
    const place = `${locate(tree, this.start + node.position)}: executing ${quote(tree.name)} at <${writeNode(node)}>`
    throw new TemplateError(`template: ${place}: ${problem}`, { cause })
  }

  write(text: string): void {
    this.output += text
    if (this.output.length > this.limits.output) this.fail(`output exceeds ${this.limits.output} characters`)
  }

  /** Begins an action. */
  begin(start: number): void {
    this.step()
    this.start = start
  }

  step(): void {
    this.steps++
    if (this.steps > this.limits.steps) this.fail(`exceeded ${this.limits.steps} steps`)
    if (this.steps % stepsBetweenChecks === 0 && this.limits.isLate?.()) this.fail('took too long')
  }

  /** Counts texts and lists that functions create: a text doubled again and again may never reach the output. */
  charge(value: Value): void {
    if (typeof value === 'string') this.made += value.length
    if (Array.isArray(value)) this.made += 64 * value.length
    if (this.made > 8 * this.limits.output) this.failTooMuchMade()
  }

  failTooMuchMade(): never {
    return this.fail(`made more than ${8 * this.limits.output} characters`)
  }

  /** Runs a template: it sees only its own variables. */
  within(template: CompiledTemplate, dot: Value): void {
    const { tree, start, dot: outer, isDotBoxed, variables, boxed } = this
    if (this.depth > this.limits.depth) this.fail(`exceeded maximum template depth (${this.limits.depth})`)
    this.depth++
    this.tree = template.tree
    this.dot = dot
    this.isDotBoxed = false
    this.variables = [dot]
    this.boxed = []
    try {
      template.execute(this)
    } finally {
      // The rendering function reports a failure once more, from its own place.
      this.depth--
      this.tree = tree
      this.start = start
      this.dot = outer
      this.isDotBoxed = isDotBoxed
      this.variables = variables
      this.boxed = boxed
    }
  }

  render(name: string, data: Value): string {
    const template = this.templates.get(name)
    if (!template)
      throw new TemplateError(`template: no template ${quote(name)} associated with template ${quote(this.rootName)}`)
    return this.outputOf(template, data)
  }

  private outputOf(template: CompiledTemplate, data: Value): string {
    const { output } = this
    this.output = ''
    this.within(template, data ?? undefined)
    const rendered = this.output
    this.output = output
    return rendered
  }

  expand(text: string, data: Value): string {
    const { templates, rootName } = this
    const added = this.parse(rootName, text)
    this.templates = withTemplates(templates, added)
    try {
      return this.outputOf(added.get(rootName)!, data)
    } finally {
      this.templates = templates
    }
  }

  get isDeepest(): boolean {
    return this.depth >= this.limits.depth
  }

  /** The current template of this name: an expanded text may redefine it. */
  templateNamed(name: string): CompiledTemplate | undefined {
    return this.templates.get(name)
  }
}

/** name:line:column, the column in bytes from 0, as Go counts. */
const locate = ({ parseName, text }: Tree, position: number): string => {
  const before = text.slice(0, position)
  const lineStart = before.lastIndexOf('\n') + 1
  const line = 1 + (before.match(/\n/g)?.length ?? 0)
  return `${parseName}:${line}:${byteLength(before.slice(lineStart))}`
}
