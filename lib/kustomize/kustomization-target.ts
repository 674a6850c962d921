import type { Kustomization } from './kustomization.ts'
import { KustomizeError } from './kustomize-error.ts'
import type { Loader } from './loader.ts'
import { readKustomization } from './read-kustomization.ts'

/** A directory with its kustomization, read. */
export interface Target {
  readonly loader: Loader
  readonly kustomization: Kustomization
  readonly fileName: string
  /** Path of the kustomization file. */
  readonly file: string
  /** Path from the root kustomization, when origins are tracked. */
  readonly originPath?: string
}

const FILE_NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'] as const

export const openTarget = (loader: Loader, warn: (warning: string) => void): Target => {
  const found: { name: string; content: Uint8Array }[] = []
  for (const name of FILE_NAMES) {
    const content = loader.tryLoad(name)
    if (content) found.push({ name, content })
  }
  const directory = loader.shownDirectory
  if (found.length === 0)
    throw new KustomizeError(
      `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${directory}'`,
      { file: loader.directory },
    )
  if (found.length > 1)
    throw new KustomizeError(`Found multiple kustomization files under: ${directory}\n`, { file: loader.directory })
  const { name, content } = found[0]!
  const file = loader.resolve(name) ?? name
  const { kustomization, warnings } = readKustomization(content, directory, file)
  for (const warning of warnings) warn(warning)
  return { loader, kustomization, fileName: name, file }
}
