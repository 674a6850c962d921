import { corrupt } from '../git-error.ts'
import type { GitObjects } from '../git-object.ts'
import { readTree, type TreeEntry } from '../read-object.ts'
import type { NewObjects } from './new-objects.ts'

/**
 * Replaces the content of files that a tree has, and returns the new tree's id. Modes and all other entries stay; what is new is added to
 * `added`. Fails with GitError if a file is missing.
 */
export const changeTree = (
  objects: GitObjects,
  tree: string,
  files: ReadonlyMap<string, Uint8Array>,
  added: NewObjects,
): string => {
  const below = new Map<string, Map<string, Uint8Array>>()
  const here = new Map<string, Uint8Array>()
  for (const [path, content] of files) {
    const slash = path.indexOf('/')
    if (slash < 0) here.set(path, content)
    else {
      const folder = path.slice(0, slash)
      below.set(folder, (below.get(folder) ?? new Map()).set(path.slice(slash + 1), content))
    }
  }
  const entries = readTree(objects, tree)
  const known = new Set(entries.map(({ name }) => name))
  const missing = [...here.keys(), ...below.keys()].find(name => !known.has(name))
  if (missing !== undefined) throw corrupt(`${missing} is missing from the tree ${tree}`)
  const changed = entries.map(entry => {
    const content = here.get(entry.name)
    if (content) return { ...entry, id: added.add({ type: 'blob', content }) }
    const folder = below.get(entry.name)
    return folder ? { ...entry, id: changeTree(objects, entry.id, folder, added) } : entry
  })
  return added.add({ type: 'tree', content: encodeTree(changed) })
}

const encodeTree = (entries: readonly TreeEntry[]): Buffer =>
  Buffer.concat(
    entries.flatMap(({ mode, name, id }) => [Buffer.from(`${mode.toString(8)} ${name}\0`), Buffer.from(id, 'hex')]),
  )
