/**
 * The syntax tree of a template. A `position` is counted from the `start` of its action, which is an index in the tree's text: so actions
 * with the same text share their nodes, in whatever place they are.
 */

export type Statement = TextNode | ActionNode | BranchNode | TemplateNode | { readonly type: 'break' | 'continue' }

export interface TextNode {
  readonly type: 'text'
  readonly text: string
}
export interface ActionNode {
  readonly type: 'action'
  readonly start: number
  readonly position: number
  readonly pipe: PipeNode
}
export interface BranchNode {
  readonly type: 'if' | 'with' | 'range'
  readonly start: number
  readonly pipe: PipeNode
  readonly list: readonly Statement[]
  readonly elseList: readonly Statement[] | undefined
}
export interface TemplateNode {
  readonly type: 'template'
  readonly start: number
  readonly position: number
  readonly name: string
  readonly pipe: PipeNode | undefined
}

export interface PipeNode {
  readonly type: 'pipe'
  readonly position: number
  readonly isAssign: boolean
  readonly declarations: readonly VariableNode[]
  readonly commands: readonly CommandNode[]
}
export interface CommandNode {
  readonly type: 'command'
  readonly position: number
  /** The function or value first, then its arguments. */
  readonly operands: readonly [Operand, ...Operand[]]
}

export type Operand =
  | PipeNode
  | ChainNode
  | FieldNode
  | VariableNode
  | IdentifierNode
  | NumberNode
  | StringNode
  | BoolNode
  | { readonly type: 'dot'; readonly position: number }
  | { readonly type: 'nil'; readonly position: number }

/** Fields of an operand: `(pipe).a.b`. */
export interface ChainNode {
  readonly type: 'chain'
  readonly position: number
  readonly of: PipeNode | IdentifierNode
  readonly fields: readonly string[]
}
export interface FieldNode {
  readonly type: 'field'
  readonly position: number
  readonly fields: readonly string[]
}
export interface VariableNode {
  readonly type: 'variable'
  readonly position: number
  /** Including its dollar sign. */
  readonly name: string
  readonly fields: readonly string[]
}
export interface IdentifierNode {
  readonly type: 'identifier'
  readonly position: number
  readonly name: string
}
export interface StringNode {
  readonly type: 'string'
  readonly position: number
  readonly quoted: string
  readonly text: string
}
export interface BoolNode {
  readonly type: 'bool'
  readonly position: number
  readonly value: boolean
}
/** A constant in each type that can represent it, like Go's untyped constants. */
export interface NumberNode {
  readonly type: 'number'
  readonly position: number
  readonly text: string
  readonly integer?: bigint
  readonly unsigned?: bigint
  readonly float?: number
  readonly complex?: { readonly real: number; readonly imaginary: number }
}

/** Any node that an error can refer to. */
export type Node = ActionNode | TemplateNode | PipeNode | CommandNode | Operand

export interface Tree {
  readonly name: string
  /** The name that the text was parsed under, which messages show. */
  readonly parseName: string
  readonly text: string
  readonly root: readonly Statement[]
}
