import { build, printResources } from '../../lib/engines/kustomize/build.ts'
import type { FileSystem } from '../../lib/engines/kustomize/file-system.ts'
import { KustomizeError } from '../../lib/engines/kustomize/kustomize-error.ts'
import type { KustomizeTree } from '../bed/kustomize-oracle.ts'
import { memoryTree } from '../conformance/memory-tree.ts'

const PROTOTYPES = [Object.prototype, Array.prototype, String.prototype, Map.prototype]
const before = PROTOTYPES.map(prototype => Reflect.ownKeys(prototype).length)

/** A tree that bears no path which could lead out of it, were it a directory. */
const guarded = (tree: FileSystem): FileSystem => {
  const inside = (path: string): string => {
    if (path.startsWith('/') || path.split('/').includes('..')) throw new Error(`asked for ${path}, out of the tree`)
    return path
  }
  return { read: path => tree.read(inside(path)), list: path => tree.list(inside(path)) }
}

/** Builds a damaged tree; what went wrong beyond a plain refusal, undefined when nothing did. */
export const harmOf = async ({ files, path }: KustomizeTree): Promise<string | undefined> => {
  const start = performance.now()
  try {
    printResources((await build(guarded(memoryTree(files)), path)).resources)
  } catch (error) {
    if (!(error instanceof KustomizeError)) return `not a KustomizeError: ${(error as Error).stack ?? String(error)}`
    if (error.message.trim() === '') return 'an error without a message'
  }
  const seconds = (performance.now() - start) / 1000
  if (seconds > 20) return `it took ${seconds.toFixed(1)} s`
  const after = PROTOTYPES.map(prototype => Reflect.ownKeys(prototype).length)
  if (after.some((count, i) => count !== before[i])) return 'a prototype of the language was changed'
  return undefined
}
