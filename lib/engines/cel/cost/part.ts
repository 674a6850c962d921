/** The estimate for one part of an expression. */
import type { Node } from '../syntax.ts'
import { type Range, unknown } from './range.ts'
import type { Shape } from './shape.ts'

export interface Estimate {
  /** Maximum cost in units. */
  readonly cost: number
  readonly type: Shape
  /** Where in the data it is: names, `@items` (of lists and maps), `@keys`; the first is a variable. Empty for a computed value. */
  readonly path: readonly string[]
  /** Items or characters. */
  readonly size?: Range
  /** Size of the items of a computed list or map. */
  readonly itemSize?: Range
  /** The value of a literal. */
  readonly literal?: unknown
}

export type Variables = ReadonlyMap<string, Omit<Estimate, 'cost'>>

/** Estimates parts of one expression. */
export interface Estimator {
  run(node: Node, variables: Variables): Estimate
  /** The size of the data at a path. */
  sizeAt(path: readonly string[]): Range | undefined
}

/** The shape of a value that an expression makes: no schema limits it. */
export const made = (type: Shape['type'], item?: Shape): Shape => ({ type, max: 0, min: 0, ...(item && { item }) })
export const dyn = made('dyn')
export const text = made('string')
export const scalar = made('scalar')

export const isText = ({ type }: Shape): boolean => type === 'string' || type === 'bytes'

/** The size of a value; any, if it can't be estimated. */
export const sizeOf = ({ size }: Pick<Estimate, 'size'>): Range => size ?? unknown

/** The cost of traversing a text once, per character. */
export const perCharacter = 0.1

/** The cost of searching for a regular expression, per character of the expression. */
export const perRegexCharacter = 0.25

/** The cost of traversing the maximum number of characters. */
export const traversed = ({ max }: Range): number => Math.ceil(max * perCharacter)
