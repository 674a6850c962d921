import type { YamlNode } from '../../yaml/node.ts'
import type { Schema } from '../schema/schema.ts'

/** The same place in the documents being merged: the one that is changed first, then what it is merged with. */
export type Sources = (YamlNode | undefined)[]

/** Decides at each place what becomes of it; undefined takes it away. */
export interface MergeVisitor {
  map(sources: Sources): YamlNode | undefined
  scalar(sources: Sources): YamlNode | undefined
  list(sources: Sources, kind: 'associative' | 'plain'): YamlNode | undefined
}

export interface MergeOptions {
  readonly schema: Schema
  /** Elements that only the patch has: before or behind the others. */
  readonly newElements: 'prepend' | 'append'
  /** Merge lists of unknown kinds by `name` when all their elements have one. */
  readonly inferKeys?: boolean
  /** Whether comments on keys are merged too. */
  readonly visitKeys?: boolean
}

export interface MergeWalk extends MergeOptions {
  readonly visitor: MergeVisitor
}
