import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A directory of this machine as a file tree, by default the root. Links that lead outside count as missing. */
export const diskTree = (
  root = '/',
): {
  read(path: string): Uint8Array | undefined
  list(path: string): readonly string[] | undefined
  realPath(path: string): string | undefined
} => {
  const base = root === '/' ? '/' : `${realpathSync.native(root)}/`
  const directories = new Map<string, readonly string[] | undefined>()
  /** Resolves links. The whole machine needs no check: nothing leads outside. */
  const located = (path: string): string | undefined => {
    const full = join(base, path)
    if (base === '/') return full
    const real = realOf(full)
    return real !== undefined && `${real}/`.startsWith(base) ? real : undefined
  }
  return {
    read(path) {
      const full = located(path)
      try {
        return full === undefined ? undefined : readFileSync(full)
      } catch {
        return undefined
      }
    },
    list(path) {
      if (!directories.has(path)) {
        const full = located(path)
        directories.set(path, full === undefined ? undefined : namesIn(full))
      }
      return directories.get(path)
    },
    realPath: path => realOf(join(base, path))?.slice(base.length),
  }
}

const realOf = (path: string): string | undefined => {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
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
