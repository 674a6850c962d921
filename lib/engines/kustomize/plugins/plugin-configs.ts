import { Accumulator } from '../accumulator.ts'
import type { BuildContext } from '../build-context.ts'
import type { PatchEntry } from '../kustomization.ts'
import type { Target } from '../kustomization-target.ts'
import { wrapping } from '../kustomize-error.ts'
import { noMemory } from '../memory/build-memory.ts'
import { originOf, setOrigin } from '../origin.ts'
import { readDocuments, readResources } from '../read-resources.ts'
import { Resource } from '../resource.ts'
import { ResourceMap } from '../resource-map.ts'
import { selectResources } from '../selector.ts'
import { applyPatch, type LoadedPatch, loadPatch } from '../transformers/patches.ts'

/** Adds the content of files and directories, as for a kustomization's `resources`. */
export type AddResources = (
  gathered: Accumulator,
  target: Target,
  context: BuildContext,
  paths: readonly string[],
) => Promise<Accumulator>

export interface PluginConfigs {
  readonly configs: readonly Resource[]
  /** The patches whose targets are virtual resources among them. */
  readonly patched: readonly PatchEntry[]
}

/** Plugin configurations: inline, or read like resources. */
export const pluginConfigs = async (
  target: Target,
  context: BuildContext,
  list: 'generators' | 'transformers' | 'validators',
  addResources: AddResources,
): Promise<PluginConfigs> => {
  const { kustomization, loader, file, fileName, source } = target
  const gathered = new Accumulator()
  const virtual: Resource[] = []
  const paths: string[] = []
  for (const entry of kustomization[list]) {
    const ofGroups = virtualIn(entry, target, context)
    if (ofGroups) {
      virtual.push(...ofGroups)
      continue
    }
    const inline = new ResourceMap()
    try {
      inline.appendAll(readResources(entry, context, { file, overlay: loader.directory }))
    } catch {
      paths.push(entry)
      continue
    }
    if (source) for (const resource of inline.list) setOrigin(resource, originOf(source, fileName))
    wrapping(`configuring external ${list === 'generators' ? 'generator' : 'transformer'}`, () =>
      gathered.resources.appendAll(inline.list),
    )
  }
  await addResources(gathered, target, context, paths)
  const configs = [...virtual, ...gathered.resources.list]
  const patched = patchVirtual(configs, target, context)
  return { configs: configs.filter(config => !config.isEmpty), patched }
}

/** Virtual resources of group plugins need no name; an entry is virtual if everything in it is for such plugins. */
const virtualIn = (entry: string, { loader, file }: Target, context: BuildContext): Resource[] | undefined => {
  const { groups } = context.plugins
  if (!groups) return undefined
  let read: Resource[]
  try {
    const isInline = entry.includes('\n')
    const origin = { file: isInline ? file : loader.resolve(entry)!, overlay: loader.directory }
    const nodes = readDocuments(isInline ? entry : loader.load(entry), context.budget)
    read = nodes.map(node => new Resource(node, context.schema, origin))
  } catch {
    return undefined
  }
  return read.every(config => groups.groupOf(config) !== undefined) ? read : undefined
}

/** Patches that target a virtual resource are applied before its plugin runs. */
const patchVirtual = (configs: readonly Resource[], target: Target, context: BuildContext): PatchEntry[] => {
  const { groups } = context.plugins
  const virtual = configs.filter(config => groups?.groupOf(config) !== undefined)
  const map = new ResourceMap(virtual)
  const patches = virtualPatches(virtual, target, context)
  for (const patch of patches) {
    const { target } = patch.entry
    // Configurations without names may have the same id: each is changed separately.
    const parts = target ? selectResources(map.list, target).map(resource => new ResourceMap([resource])) : [map]
    for (const part of parts) applyPatch(part, patch)
    map.dropEmpty()
  }
  return patches.map(({ entry }) => entry)
}

/** The patches that select virtual resources by name or by a target. */
const virtualPatches = (virtual: Resource[], target: Target, context: BuildContext): LoadedPatch[] => {
  if (virtual.length === 0) return []
  const map = new ResourceMap(virtual)
  const { loader, file, kustomization } = target
  const { schema, budget } = context
  const environment = { loader, schema, budget, file, step: noMemory.step, read: noMemory.resources }
  return kustomization.patches.flatMap(entry => {
    let patch: LoadedPatch
    try {
      patch = loadPatch(entry, environment)
    } catch {
      // Its errors are reported when it is set up for all other resources.
      return []
    }
    const { change } = patch
    const isSelected =
      entry.target !== undefined ||
      (typeof change !== 'function' && change.every(({ patch }) => map.sameId(patch.originalId()).length > 0))
    return isSelected ? [patch] : []
  })
}
