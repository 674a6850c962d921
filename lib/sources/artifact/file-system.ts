import type { FileSystem } from '../../engines/kustomize/file-system.ts'
import { compareBytes } from '../../foundations/go/compare-text.ts'
import type { SourceTree } from './source-tree.ts'

/** A tree as the file system of a kustomize build. */
export const fileSystemOf = (tree: SourceTree): FileSystem => {
  const folders = new Map<string, Set<string>>([['', new Set()]])
  const enter = (path: string): void => {
    const slash = path.lastIndexOf('/')
    const parent = path.slice(0, Math.max(slash, 0))
    if (!folders.has(parent)) {
      folders.set(parent, new Set())
      enter(parent)
    }
    folders.get(parent)!.add(path.slice(slash + 1))
  }
  for (const path of tree.keys()) enter(path)
  return {
    read: path => tree.get(path)?.content,
    list: path => {
      const names = folders.get(path)
      return names && [...names].sort(compareBytes)
    },
  }
}
