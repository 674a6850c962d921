import type { YamlNode } from '../../yaml/node.ts'
import type { Schema } from '../schema/schema.ts'

/** The nodes at one path of the documents being merged: the one that is modified first, then the one merged into it. */
export type Sources = (YamlNode | undefined)[]

/** Decides the result at each path; undefined removes the node. */
export interface MergeVisitor {
  map(sources: Sources): YamlNode | undefined
  scalar(sources: Sources): YamlNode | undefined
  list(sources: Sources, kind: 'associative' | 'plain'): YamlNode | undefined
}

export interface MergeOptions {
  readonly schema: Schema
  /** Where elements that only the patch has go: before or after the others. */
  readonly newElements: 'prepend' | 'append'
  /** Whether to merge lists of unknown kinds by `name` if all elements have one. */
  readonly inferKeys?: boolean
  /** Whether to merge comments on keys too. */
  readonly visitKeys?: boolean
}

export interface MergeWalk extends MergeOptions {
  readonly visitor: MergeVisitor
}
