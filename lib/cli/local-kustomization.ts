import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYaml } from '../engines/yaml/parse.ts'
import { YamlError } from '../engines/yaml/yaml-error.ts'
import { type Kustomization, kustomization, sourceNamespaceOf } from '../foundations/kinds/kustomization.ts'
import { groupOf, type KubernetesObject } from '../foundations/kinds/object.ts'
import type { Hub } from '../hub/store/hub.ts'
import { CommandFailed } from './command-failed.ts'
import { type LocalBuildOptions, requireFolder } from './local-build.ts'

// Finds the Kustomization of `build kustomization` and `diff kustomization`: in the hub, in a file, or among built objects.

const { group } = kustomization

type HubLookup = Pick<Hub, 'get'>

/** Fails if the hub has no such Kustomization. */
export const liveKustomization = async (lookup: HubLookup, name: string, namespace: string): Promise<Kustomization> => {
  const found = await findKustomization(lookup, name, namespace)
  if (found) return found
  throw new CommandFailed(`failed to get kustomization object: kustomizations.${group} "${name}" not found`)
}

/** The Kustomization on the hub; undefined if there is none. */
export const findKustomization = (
  lookup: HubLookup,
  name: string,
  namespace: string,
): Promise<Kustomization | undefined> => lookup.get<Kustomization>({ group, kind: 'Kustomization', namespace, name })

/** Finds a Kustomization by name in a file of manifests; one without a namespace matches any. */
export const kustomizationFromFile = (file: string, name: string, namespace: string): Kustomization => {
  const found = readManifests(file).find(
    object =>
      isKustomization(object) &&
      object.metadata?.name === name &&
      (object.metadata.namespace ?? namespace) === namespace,
  )
  if (found) return { ...found, metadata: { ...found.metadata, namespace } } as Kustomization
  throw new CommandFailed(`no Kustomization with the name '${name}' and the namespace '${namespace}' in ${file}`)
}

const readManifests = (file: string): readonly KubernetesObject[] => {
  try {
    return parseYaml(readFileSync(file), { file }) as unknown as KubernetesObject[]
  } catch (error) {
    if (error instanceof YamlError || (error as NodeJS.ErrnoException).code)
      throw new CommandFailed(`cannot read ${file}: ${(error as Error).message}`, { cause: error })
    throw error
  }
}

export const isKustomization = ({ apiVersion = '', kind }: KubernetesObject): boolean =>
  kind === 'Kustomization' && groupOf(apiVersion) === group

export const isSame = (a: KubernetesObject, b: KubernetesObject): boolean =>
  a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace

/** The local folder of a Kustomization that was found in a build. */
export const localFolderOf = (found: Kustomization, sources: LocalBuildOptions['localSources']): string => {
  const { kind, name } = found.spec.sourceRef
  const key = `${kind}/${sourceNamespaceOf(found)}/${name}`
  const folder = sources.get(key)
  if (folder) return requireFolder(join(folder, found.spec.path ?? '.'))
  throw new CommandFailed(
    `no folder for ${key}, the source of Kustomization ${found.metadata.name}: pass --local-sources ${key}=PATH`,
  )
}
