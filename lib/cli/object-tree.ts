import { describeRef, type ObjectRef } from '../foundations/kinds/object.ts'

/** Objects, each with those that it makes. */
export interface ObjectTree {
  readonly ref: ObjectRef
  readonly children: readonly ObjectTree[]
}

/** As lines with branches, like `tree`. */
export const drawTree = ({ ref, children }: ObjectTree): string => `${describeRef(ref)}\n${drawBranches(children, '')}`

const drawBranches = (trees: readonly ObjectTree[], indent: string): string =>
  trees
    .map(({ ref, children }, i) => {
      const isLast = i === trees.length - 1
      const line = `${indent}${isLast ? '└── ' : '├── '}${describeRef(ref)}\n`
      return line + drawBranches(children, `${indent}${isLast ? '    ' : '│   '}`)
    })
    .join('')

/** As data, in the shape that `flux tree -o json` prints. */
export const treeData = ({ ref, children }: ObjectTree): object => ({
  resource: { Namespace: ref.namespace, Name: ref.name, GroupKind: { Group: ref.group, Kind: ref.kind } },
  ...(children.length > 0 && { resources: children.map(treeData) }),
})
