import type { FileSystem } from '../../lib/engines/kustomize/file-system.ts'

/** A tree of files that are given by path. */
export const memoryTree = (files: Readonly<Record<string, string | Uint8Array>>): FileSystem => {
  const contents = new Map<string, Uint8Array>()
  const directories = new Map<string, Set<string>>([['', new Set()]])
  for (const [path, content] of Object.entries(files)) {
    contents.set(path, typeof content === 'string' ? Buffer.from(content) : content)
    const parts = path.split('/')
    for (let i = 0; i < parts.length; i++) {
      const parent = parts.slice(0, i).join('/')
      if (!directories.has(parent)) directories.set(parent, new Set())
      directories.get(parent)!.add(parts[i]!)
    }
  }
  return {
    read: path => contents.get(path),
    list: path => {
      const names = directories.get(path)
      return names && [...names].sort()
    },
  }
}
