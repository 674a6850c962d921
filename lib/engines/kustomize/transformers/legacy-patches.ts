import { BudgetExceeded } from '../../../foundations/budget/budget.ts'
import type { SelectorEntry } from '../kustomization.ts'
import { KustomizeError, located, wrapError } from '../kustomize-error.ts'
import { type JsonPatch, jsonOf, readJsonPatch } from '../merge/json-patch.ts'
import type { TransformerEnvironment } from '../plugins/plugin.ts'
import { inFile, readResources } from '../read-resources.ts'
import type { Resource } from '../resource.ts'
import type { ResourceMap } from '../resource-map.ts'
import { selectResources } from '../selector.ts'
import { applyJsonPatch } from './apply-json-patch.ts'
import { applyStrategicPatchTo, type StrategicPatch, strategicPatch } from './apply-strategic-patch.ts'

/** `patchesStrategicMerge`: every entry is a patch, or the path of a file with patches. */
export const loadStrategicPatches = (
  { paths = [], patches = '' }: { paths?: readonly string[]; patches?: string },
  environment: TransformerEnvironment,
): ((map: ResourceMap) => void) => {
  const { file } = environment
  if (paths.length === 0 && patches === '')
    throw new KustomizeError('empty file path and empty patch content', { field: 'paths' })
  const loaded = paths.flatMap(path => inlineOrFile(path, environment))
  for (const patch of patchesIn(patches, file, environment)) loaded.push(patch)
  if (loaded.length === 0)
    throw new KustomizeError(`patch appears to be empty; files=[${paths.join(' ')}], Patch=${patches}`)
  return map => {
    for (const loadedPatch of loaded) applyStrategicPatchTo(map, [targetOf(loadedPatch.patch, map)], loadedPatch)
  }
}

const targetOf = (patch: Resource, map: ResourceMap): Resource => {
  try {
    return map.one(patch.originalId())
  } catch (error) {
    throw located(error, { file: patch.origin.file })
  }
}

const patchesIn = (
  content: string | Uint8Array,
  file: string,
  environment: TransformerEnvironment,
): StrategicPatch[] => {
  const { loader } = environment
  const read = readResources(content, environment, { file, overlay: loader.directory })
  return read.map((patch, i) => strategicPatch(patch, [String(content), i], {}, environment))
}

const inlineOrFile = (entry: string, environment: TransformerEnvironment): StrategicPatch[] => {
  const { loader } = environment
  try {
    return patchesIn(entry, environment.file, environment)
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error
    const content = loader.load(entry)
    const file = loader.resolve(entry)!
    try {
      return patchesIn(content, file, environment)
    } catch (error) {
      throw located(inFile(error, entry), { file })
    }
  }
}

/** `patchesJson6902`: operations on the resources that a target selects by name. */
export const loadJsonPatch = (
  { target, path = '', jsonOp = '' }: { target?: SelectorEntry; path?: string; jsonOp?: string },
  { loader, step, budget }: TransformerEnvironment,
): ((map: ResourceMap) => void) => {
  if (!target?.name) throw new KustomizeError('must specify the target name', { field: 'target.name' })
  if (path === '' && jsonOp === '') throw new KustomizeError('empty file path and empty jsonOp', { field: 'path' })
  if (path !== '' && jsonOp !== '')
    throw new KustomizeError('must specify a file path or jsonOp, not both', { field: 'path' })
  const text = path === '' ? jsonOp : Buffer.from(loader.load(path)).toString()
  const place = { file: path && loader.resolve(path) }
  if (text === '') throw new KustomizeError(`patch file '${path}' empty seems to be empty`, place)
  let patch: JsonPatch
  try {
    patch = readJsonPatch(text, budget)
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error
    throw wrapError(`decoding ${jsonOf(text)}`, error, place)
  }
  if (patch.length === 0)
    throw new KustomizeError(`patch appears to be empty; file=${path}, JsonOp=${jsonOf(text)}`, place)
  const apply = step(['json patch of a named target', text], resource => applyJsonPatch(resource, patch, budget))
  return map => {
    for (const resource of selectResources(map.list, target)) apply(resource)
  }
}
