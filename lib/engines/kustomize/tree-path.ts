/** Slash paths of a tree, without a leading slash. */

/** The path without the slash at its end; `/` stays. */
export const trimSlash = (path: string): string => (path.length > 1 ? path.replace(/\/$/, '') : path)

export const isBelow = (path: string, directory: string): boolean =>
  directory === '' || path === directory || path.startsWith(`${directory}/`)

/** Dots inside a path's parts indicate broken YAML rather than a directory. */
export const isAmbiguous = (path: string): boolean => path.split('/').some(part => part !== '..' && part.includes('..'))

/** Resolves `.` and `..`; undefined if the path leaves the root, unless `clamp` keeps it there. */
export const normalize = (path: string, clamp = false): string | undefined => {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined && !clamp) return undefined
  }
  return parts.join('/')
}

/** The same without redundant parts; leading `..` are kept. */
export const cleaned = (path: string): string => {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else parts.push(part)
  }
  return parts.join('/')
}
