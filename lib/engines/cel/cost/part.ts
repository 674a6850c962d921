/** What an estimate knows of a part of an expression. */
import type { Node } from '../syntax.ts'
import { type Range, unknown } from './range.ts'
import type { Shape } from './shape.ts'

export interface Estimate {
  /** Units at most. */
  readonly cost: number
  readonly type: Shape
  /** Where in the data it is: names, `@items` (of lists and maps), `@keys`, the first being a variable. Empty = made on the way. */
  readonly path: readonly string[]
  /** Items or characters. */
  readonly size?: Range
  /** Of what is in a list or map that is made on the way. */
  readonly itemSize?: Range
  /** What is written down. */
  readonly literal?: unknown
}

export type Variables = ReadonlyMap<string, Omit<Estimate, 'cost'>>

/** Estimates parts of one expression. */
export interface Estimator {
  run(node: Node, variables: Variables): Estimate
  /** How much there is at a path of the data. */
  sizeAt(path: readonly string[]): Range | undefined
}

export const made = (type: Shape['type'], item?: Shape): Shape => ({ type, most: 0, least: 0, ...(item && { item }) })
export const dyn = made('dyn')
export const text = made('string')
export const scalar = made('scalar')

export const isText = ({ type }: Shape): boolean => type === 'string' || type === 'bytes'

export const sizeOf = ({ size }: Pick<Estimate, 'size'>): Range => size ?? unknown

/** Going over a text once, by character. */
export const perCharacter = 0.1

/** Searching for a regular expression, by character of the expression. */
export const perRegexCharacter = 0.25

/** Going over as many characters as there may be. */
export const traversed = ({ max }: Range): number => Math.ceil(max * perCharacter)
