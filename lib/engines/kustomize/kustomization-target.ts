import type { Budget } from '../../foundations/budget/budget.ts'
import type { Kustomization } from './kustomization.ts'
import { KustomizeError } from './kustomize-error.ts'
import type { Loader } from './loader.ts'
import type { Source } from './origin.ts'
import { readKustomization } from './read-kustomization.ts'

/** A directory and its parsed kustomization. */
export interface Target {
  readonly loader: Loader
  readonly kustomization: Kustomization
  readonly fileName: string
  /** Path of the kustomization file. */
  readonly file: string
  /** Repository, and path from the root kustomization or within that repository, if origins are tracked. */
  readonly source?: Source | undefined
  /** Its namespace, or that of the closest parent kustomization: the one that its charts use. */
  readonly namespace: string
}

const FILE_NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'] as const

/**
 * Reads the kustomization of the loader's directory, and fetches the remote files that it names. Throws KustomizeError
 * where there is no kustomization file, or more than one. `outerNamespace` is that of the kustomization that includes
 * this one.
 */
export const openTarget = async (
  loader: Loader,
  { warn, budget }: { readonly warn: (warning: string) => void; readonly budget: Budget },
  outerNamespace = '',
): Promise<Target> => {
  const found: { name: string; content: Uint8Array }[] = []
  for (const name of FILE_NAMES) {
    const content = loader.tryLoad(name)
    if (content) found.push({ name, content })
  }
  const directory = loader.shownDirectory
  if (found.length === 0)
    throw new KustomizeError(
      `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${directory}'`,
      { file: loader.directory || '.' },
    )
  if (found.length > 1)
    throw new KustomizeError(`Found multiple kustomization files under: ${directory}\n`, {
      file: loader.directory || '.',
    })
  const { name, content } = found[0]!
  const file = loader.resolve(name) ?? name
  const { kustomization, warnings } = readKustomization(content, directory, file, budget)
  for (const warning of warnings) warn(warning)
  await loader.fetch(filesOf(kustomization))
  return { loader, kustomization, fileName: name, file, namespace: kustomization.namespace || outerNamespace }
}

/** The files that a kustomization reads, besides resources and plugins. */
const filesOf = (kustomization: Kustomization): string[] => {
  const { openapi, crds, configurations, patchesStrategicMerge, patches, patchesJson6902, replacements } = kustomization
  const generators = [...kustomization.configMapGenerator, ...kustomization.secretGenerator]
  const sources = generators.flatMap(({ files = [], envs = [] }) => [...files.map(pathOfSource), ...envs])
  const paths = [...patches, ...patchesJson6902, ...replacements].flatMap(({ path }) => path ?? [])
  return [...Object.values(openapi ?? {}), ...crds, ...configurations, ...patchesStrategicMerge, ...paths, ...sources]
}

/** A generator's file may be prefixed with a key. */
const pathOfSource = (source: string): string => source.slice(source.indexOf('=') + 1)
