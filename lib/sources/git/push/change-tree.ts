import { corrupt } from '../git-error.ts'
import type { GitObjects } from '../git-object.ts'
import { blobOf, readTree, treeOf } from '../read-object.ts'
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
  // Only ids change: names and modes stay as they are, even where git would write others today.
  const old = treeOf(objects, tree)
  const content = Buffer.from(old.content)
  for (const { name, id, idAt } of readTree(objects, tree)) {
    const [file, folder] = [here.get(name), below.get(name)]
    if (!file && !folder) continue
    const changed = file
      ? added.add({ type: 'blob', content: file }, { id, content: blobOf(objects, id).content })
      : changeTree(objects, id, folder!, added)
    content.write(changed, idAt, 'hex')
    here.delete(name)
    below.delete(name)
  }
  const [missing] = [...here.keys(), ...below.keys()]
  if (missing !== undefined) throw corrupt(`${missing} is missing from the tree ${tree}`)
  return added.add({ type: 'tree', content }, { id: tree, content: old.content })
}
