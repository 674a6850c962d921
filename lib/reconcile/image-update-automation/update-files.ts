import type { FileChanges } from '../../engines/image-policy/commit-message.ts'
import { imageSetters, type LatestImage } from '../../engines/image-policy/image-setters.ts'
import { type FieldChange, markerToken, setFields } from '../../engines/image-policy/set-fields.ts'
import { compareText } from '../../foundations/go/compare-text.ts'
import { clampPath } from '../../sources/artifact/clamp-path.ts'
import type { SourceTree } from '../../sources/artifact/source-tree.ts'

export interface UpdatedFiles {
  /** New contents, by path from the root of the repository. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** What changed, by path below `spec.update.path`. */
  readonly changes: FileChanges
}

/** The beginnings of paths that a run reads; undefined for all. */
export const prefixesOf = (path: string | undefined): readonly string[] | undefined => {
  const clamped = clampPath(path ?? '')
  return clamped ? [clamped] : undefined
}

/**
 * Writes the images into the marked fields of the YAML files below a path, which may be that of a file. Fails with the message of
 * image-automation-controller if nothing is there.
 */
export const updateFiles = (
  tree: SourceTree,
  path: string | undefined,
  images: readonly LatestImage[],
): UpdatedFiles => {
  const root = clampPath(path ?? '')
  const below = [...tree.keys()].filter(file => root === '' || file === root || file.startsWith(`${root}/`))
  if (below.length === 0 && root !== '')
    throw new Error(`walking path for files: lstat ${root}: no such file or directory`)
  const setters = imageSetters(images)
  const files = new Map<string, Uint8Array>()
  const changes = new Map<string, readonly FieldChange[]>()
  for (const file of below.filter(isManifest).sort(compareText)) {
    const content = Buffer.from(tree.get(file)!.content)
    const changed = content.includes(markerToken) ? setFields(content, setters) : undefined
    if (!changed) continue
    files.set(file, Buffer.from(changed.text))
    changes.set(shown(file, root), changed.changes)
  }
  return { files, changes }
}

const isManifest = (path: string): boolean => /\.ya?ml$|(^|\/)Kustomization$/.test(path)

const shown = (file: string, root: string): string => {
  if (file === root) return file.slice(file.lastIndexOf('/') + 1)
  return root ? file.slice(root.length + 1) : file
}
