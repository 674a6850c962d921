/** A path relative to the root of a tree, which `..` never leaves. */
export const clampPath = (path: string): string => {
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return names.join('/')
}
