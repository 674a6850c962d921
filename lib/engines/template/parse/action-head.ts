import type { PipeNode } from './node.ts'

/** The content of an action, without its position. */
export type Head =
  | { readonly type: 'end' | 'else' }
  | { readonly type: 'break' | 'continue' }
  | { readonly type: 'block' }
  | { readonly type: 'if' | 'with' | 'range'; readonly pipe: PipeNode }
  | { readonly type: 'action'; readonly position: number; readonly pipe: PipeNode }
  | { readonly type: 'template'; readonly position: number; readonly name: string; readonly pipe: PipeNode | undefined }

/**
 * An action that was parsed before. Charts repeat themselves: four of five actions of a large chart occur more than
 * once.
 */
export interface KnownAction {
  readonly head: Head
  /** Variables that must be in scope. */
  readonly used: readonly string[]
  readonly declared: readonly string[]
  /** How deep its parentheses nest. */
  readonly depth: number
  /** Whether the text behind it loses its spaces. */
  readonly trims: boolean
}
