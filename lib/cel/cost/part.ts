/** What an estimate knows of a part of an expression. */
import type { Node } from '../syntax.ts'
import { either, exactly, type Range, unknown } from './range.ts'
import type { Shape } from './shape.ts'

export interface Estimate {
  readonly cost: Range
  readonly type: Shape
  /** Where in the data it is: names, `@items`, `@keys`, `@values`, the first being a variable. Empty = made on the way. */
  readonly path: readonly string[]
  /** Items or characters. */
  readonly size?: Range
  /** Sizes of what a list or map is made of. */
  readonly entry?: Entry
}

export interface Entry {
  readonly key: Range
  readonly value: Range
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
export const int = made('int')
export const bool = made('bool')

export const sizeOf = ({ size }: Pick<Estimate, 'size'>): Range => size ?? unknown

export const nothing: Entry = { key: exactly(1), value: exactly(0) }

/** Of what may be either. */
export const eitherEntry = (a: Entry | undefined, b: Entry | undefined): Entry | undefined =>
  a && b && { key: either(a.key, b.key), value: either(a.value, b.value) }

/** Going over a text once, by character. */
export const perCharacter = 0.1

/** Searching for a regular expression, by character of the expression. */
export const perRegexCharacter = 0.25
