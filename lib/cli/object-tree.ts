import { describeRef, type ObjectRef } from '../foundations/kinds/object.ts'

/** Objects, each with those that it created. */
export interface ObjectTree {
  readonly ref: ObjectRef
  /** Its state, if known: shown after its name. */
  readonly note?: string
  readonly children: readonly ObjectTree[]
}

/** As lines with branches, like `tree`. */
export const drawTree = (tree: ObjectTree): string => `${lineOf(tree)}\n${drawBranches(tree.children, '')}`

const lineOf = ({ ref, note }: ObjectTree): string => `${describeRef(ref)}${note === undefined ? '' : `  ${note}`}`

const drawBranches = (trees: readonly ObjectTree[], indent: string): string =>
  trees
    .map((tree, i) => {
      const isLast = i === trees.length - 1
      const line = `${indent}${isLast ? '└── ' : '├── '}${lineOf(tree)}\n`
      return line + drawBranches(tree.children, `${indent}${isLast ? '    ' : '│   '}`)
    })
    .join('')

/** As data, in the format of `flux tree -o json`. */
export const treeData = ({ ref, children }: ObjectTree): object => ({
  resource: { Namespace: ref.namespace, Name: ref.name, GroupKind: { Group: ref.group, Kind: ref.kind } },
  ...(children.length > 0 && { resources: children.map(treeData) }),
})
