import { posix } from 'node:path'
import type { FileSystem } from '../../../engines/kustomize/file-system.ts'
import { failure } from '../failure.ts'

/**
 * The folder that spec.path names, relative to the source's root. A leading slash means that root, as in Flux. Halts if
 * the folder does not exist, or the path leads out of the source (Flux truncates such paths at the root; Keelson reports them).
 */
export const sourceFolder = (files: FileSystem, path = ''): string => {
  const normal = posix.normalize(`./${path}`).replace(/\/$/, '')
  if (normal === '..' || normal.startsWith('../')) {
    throw failure(
      'ArtifactFailed',
      `kustomization path '${path}' leads out of the source: spec.path must stay below its root`,
    )
  }
  const folder = normal === '.' ? '' : normal
  if (files.list(folder) === undefined && files.read(folder) === undefined) {
    throw failure('ArtifactFailed', `kustomization path not found: stat /${folder}: no such file or directory`)
  }
  return folder
}
