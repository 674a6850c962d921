import { quote } from '../../../foundations/go/quote.ts'
import { formatValue } from '../format/format-value.ts'
import type { BranchNode, Node, Statement, TemplateNode, Tree } from '../parse/node.ts'
import { writeNode } from '../parse/write-node.ts'
import { isTrue } from '../values/truth.ts'
import { Struct, TemplateFunction, typeNameOf, type Value } from '../values/value.ts'
import type { Expression } from './call.ts'
import { compilePipeline, inScope, type Scope } from './compile-pipeline.ts'
import { compileRange } from './range.ts'
import type { CompiledTemplate, Ending, Execution, TemplateRun, TemplateSet } from './run.ts'

/** Compiles all templates that a text defines, and the text itself under its own name. */
export const compileTrees = (
  trees: ReadonlyMap<string, Tree>,
  { functionNamed, shared }: Pick<Scope, 'functionNamed' | 'shared'>,
): TemplateSet => {
  const set = new Map<string, CompiledTemplate>()
  for (const [name, tree] of trees) {
    const scope: Scope = { variables: ['$'], usesVariables: false, functionNamed, shared }
    set.set(name, { tree, execute: compileBlock(tree.root, scope) })
  }
  return set
}

/** Compiles a block when it first runs: most blocks of most charts are behind conditions that don't hold. */
const compileBlock = (nodes: readonly Statement[], outer: Scope): Execution => {
  const scope: Scope = { ...outer, variables: [...outer.variables] }
  let execute: Execution | undefined
  return run => {
    execute ??= compileList(nodes, scope)
    return execute(run)
  }
}

const compileList = (nodes: readonly Statement[], scope: Scope): Execution => {
  const statements = nodes.map(node => compileStatement(node, scope))
  return run => {
    for (const statement of statements) {
      const ending = statement(run)
      if (ending !== 'end') return ending
    }
    return 'end'
  }
}

const compileStatement = (node: Statement, scope: Scope): Execution => {
  switch (node.type) {
    case 'text': {
      const { text } = node
      return run => {
        run.step()
        run.write(text)
        return 'end'
      }
    }
    case 'action':
      return compileAction(node, scope)
    case 'break':
    case 'continue':
      return () => node.type
    case 'if':
    case 'with':
      return inScope(scope, () => compileCondition(node, scope))
    case 'range':
      return inScope(scope, () => compileRange(node, scope, list => compileBlock(list, scope)))
    case 'template':
      return compileTemplate(node, scope)
  }
}

const compileAction = (node: Statement & { type: 'action' }, scope: Scope): Execution => {
  const value = compilePipeline(node.pipe, scope)
  const isDeclaration = node.pipe.declarations.length > 0
  return run => {
    run.begin(node.start)
    const result = value(run)
    if (isDeclaration) return 'end'
    run.node = node
    run.write(typeof result === 'string' ? result : printed(run, node, result))
    return 'end'
  }
}

const printed = (run: TemplateRun, node: Node, value: Value): string => {
  if (value === undefined) return '<no value>'
  if (value instanceof TemplateFunction) run.fail(`can't print ${writeNode(node)} of type ${typeNameOf(value)}`)
  // A printed field is addressable, so that methods of its pointer apply.
  const text = value instanceof Struct && !value.text ? value.method('String') : undefined
  return text ? (text.call() as string) : formatValue(value)
}

const compileCondition = (node: BranchNode, scope: Scope): Execution => {
  const condition = compilePipeline(node.pipe, scope)
  const list = inScope(scope, () => compileBlock(node.list, scope))
  const setsDot = node.type === 'with'
  const otherwise = node.elseList && compileBlock(node.elseList, scope)
  return run => {
    run.begin(node.start)
    const value = condition(run)
    if (!isTrue(value)) return otherwise ? otherwise(run) : 'end'
    return setsDot ? withDot(run, value, list) : list(run)
  }
}

const withDot = (run: TemplateRun, value: Value, list: Execution): Ending => {
  const { dot, isDotBoxed } = run
  run.dot = value
  run.isDotBoxed = false
  const ending = list(run)
  run.dot = dot
  run.isDotBoxed = isDotBoxed
  return ending
}

const compileTemplate = (node: TemplateNode, scope: Scope): Execution => {
  const data: Expression = node.pipe ? compilePipeline(node.pipe, scope) : () => undefined
  return run => {
    run.begin(node.start)
    run.node = node
    const template = run.templateNamed(node.name)
    if (!template) return run.fail(`template ${quote(node.name)} not defined`)
    run.within(template, data(run))
    return 'end'
  }
}
