import { Accumulator } from '../accumulator.ts'
import type { BuildContext } from '../build-tree.ts'
import type { Target } from '../kustomization-target.ts'
import { noMemory } from '../memory/build-memory.ts'
import { originOf, setOrigin } from '../origin.ts'
import { readDocuments, readResources } from '../read-resources.ts'
import { Resource } from '../resource.ts'
import { ResourceMap } from '../resource-map.ts'
import { applyPatch, type LoadedPatch, loadPatch } from '../transformers/patches.ts'

/** Adds what files and directories hold, as for the `resources` of a kustomization. */
export type AddResources = (
  gathered: Accumulator,
  target: Target,
  context: BuildContext,
  paths: readonly string[],
) => Promise<Accumulator>

/** The configurations of plugins: written in place, or read like resources. */
export const pluginConfigs = async (
  target: Target,
  context: BuildContext,
  entries: readonly string[],
  addResources: AddResources,
): Promise<readonly Resource[]> => {
  const { loader, file, fileName, source } = target
  const gathered = new Accumulator()
  const virtual: Resource[] = []
  const paths: string[] = []
  for (const entry of entries) {
    if (context.plugins.enabled && readVirtual(entry, virtual, target, context)) continue
    let inline: Resource[]
    try {
      inline = readResources(entry, context.schema, { file, overlay: loader.directory })
    } catch {
      paths.push(entry)
      continue
    }
    if (source) for (const resource of inline) setOrigin(resource, originOf(source, fileName))
    gathered.resources.appendAll(inline)
  }
  await addResources(gathered, target, context, paths)
  const configs = [...virtual, ...gathered.resources.list]
  patchVirtual(configs, target, context)
  return configs
}

/** Virtual resources of group plugins need no name; a file is theirs when all in it is for such plugins. */
const readVirtual = (entry: string, virtual: Resource[], { loader, file }: Target, context: BuildContext): boolean => {
  const { groups } = context.plugins
  const content = entry.includes('\n') ? entry : loader.isDirectory(entry) ? undefined : loader.tryLoad(entry)
  if (content === undefined || !groups) return false
  const origin = { file: entry.includes('\n') ? file : (loader.resolve(entry) ?? entry), overlay: loader.directory }
  let read: Resource[]
  try {
    read = readDocuments(content).map(node => new Resource(node, context.schema, origin))
  } catch {
    return false
  }
  if (read.length === 0 || !read.every(config => groups.groupOf(config) !== undefined)) return false
  virtual.push(...read)
  return true
}

/** Patches whose target is a virtual resource change it before its plugin sees it. */
const patchVirtual = (configs: readonly Resource[], target: Target, context: BuildContext): void => {
  const { groups } = context.plugins
  const virtual = configs.filter(config => groups?.groupOf(config) !== undefined)
  const map = new ResourceMap([...virtual])
  for (const patch of virtualPatches(virtual, target, context)) applyPatch(map, patch)
}

/** The patches that choose virtual resources by their names, or by a target. */
export const virtualPatches = (virtual: readonly Resource[], target: Target, context: BuildContext): LoadedPatch[] => {
  if (virtual.length === 0) return []
  const map = new ResourceMap(virtual.filter(config => config.name !== ''))
  const { loader, file, kustomization } = target
  return kustomization.patches
    .map(entry =>
      loadPatch(
        entry,
        { loader, schema: context.schema, file, step: noMemory.step, read: noMemory.resources },
        () => file,
      ),
    )
    .filter(
      ({ entry, change }) =>
        entry.target !== undefined ||
        (typeof change !== 'function' && change.every(({ patch }) => map.sameId(patch.originalId()).length > 0)),
    )
}
