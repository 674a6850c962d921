import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import type { FileSystem } from '../kustomize/file-system.ts'

/** The whole file system of this machine as a tree; its root is `/`. */
export const diskTree = (): FileSystem => {
  const directories = new Map<string, readonly string[] | undefined>()
  return {
    read(path) {
      try {
        return readFileSync(`/${path}`)
      } catch {
        return undefined
      }
    },
    list(path) {
      if (!directories.has(path)) directories.set(path, namesIn(`/${path}`))
      return directories.get(path)
    },
    realPath(path) {
      try {
        return realpathSync.native(`/${path}`).slice(1)
      } catch {
        return undefined
      }
    },
  }
}

const namesIn = (path: string): readonly string[] | undefined => {
  try {
    if (!statSync(path).isDirectory()) return undefined
    return readdirSync(path).sort()
  } catch {
    return undefined
  }
}
