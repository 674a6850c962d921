import type { FileChanges } from '../../engines/image-policy/commit-message.ts'
import { imageSetters, type LatestImage } from '../../engines/image-policy/image-setters.ts'
import { type FieldChange, markerToken, setFields } from '../../engines/image-policy/set-fields.ts'
import { compareText } from '../../foundations/go/compare-text.ts'
import { clampPath } from '../../sources/artifact/clamp-path.ts'
import type { Checkout } from '../../sources/git/git-client.ts'
import type { Selection } from '../../sources/git/worktree.ts'

export interface UpdatedFiles {
  /** New contents, by path from the root of the repository. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** What changed, by path below `spec.update.path`. */
  readonly changes: FileChanges
}

/** The files that a run may change: YAML below a path, which may be that of a file, with a marker. */
export const manifestsBelow = (path: string | undefined): Selection => {
  const root = clampPath(path ?? '')
  return {
    ...(root && { prefixes: [root] }),
    accepts: file => isManifest(file) && (root === '' || file === root || file.startsWith(`${root}/`)),
    keeps: content => Buffer.from(content.buffer, content.byteOffset, content.length).includes(markerToken),
  }
}

/** Writes the images into the marked fields of files. Fails with the message of image-automation-controller if nothing is at the path. */
export const updateFiles = (
  { tree, has }: Pick<Checkout, 'tree' | 'has'>,
  path: string | undefined,
  images: readonly LatestImage[],
): UpdatedFiles => {
  const root = clampPath(path ?? '')
  if (root !== '' && !has(root)) throw new Error(`walking path for files: lstat ${root}: no such file or directory`)
  const setters = imageSetters(images)
  const files = new Map<string, Uint8Array>()
  const changes = new Map<string, readonly FieldChange[]>()
  for (const file of [...tree.keys()].sort(compareText)) {
    const changed = setFields(Buffer.from(tree.get(file)!.content), setters)
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
