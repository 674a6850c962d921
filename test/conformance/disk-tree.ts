import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FileSystem } from '../../lib/engines/kustomize/file-system.ts'

/** A folder of the disk as a tree; symbolic links that lead out of it are not followed. */
export const diskTree = (root: string): FileSystem => ({
  read(path) {
    try {
      return readFileSync(join(root, path))
    } catch {
      return undefined
    }
  },
  list(path) {
    try {
      if (!statSync(join(root, path)).isDirectory()) return undefined
      return readdirSync(join(root, path)).sort()
    } catch {
      return undefined
    }
  },
})
