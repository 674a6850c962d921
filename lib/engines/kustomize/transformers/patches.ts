import { type Budget, BudgetExceeded } from '../../../foundations/budget/budget.ts'
import { quote } from '../../../foundations/go/quote.ts'
import type { PatchEntry } from '../kustomization.ts'
import { KustomizeError, wrapError } from '../kustomize-error.ts'
import type { Loader } from '../loader.ts'
import { type JsonPatch, readJsonPatch } from '../merge/json-patch.ts'
import type { TransformerEnvironment } from '../plugins/plugin.ts'
import { readResources } from '../read-resources.ts'
import type { Resource, ResourceChange } from '../resource.ts'
import { idString } from '../resource-id.ts'
import type { ResourceMap } from '../resource-map.ts'
import { selectResources } from '../selector.ts'
import { applyJsonPatch } from './apply-json-patch.ts'
import { applyStrategicPatchTo, type StrategicPatch, strategicPatch } from './apply-strategic-patch.ts'

/** A `patches` entry, and its text in messages. */
export type ShownPatch = PatchEntry & { readonly shown?: string }

/** A parsed `patches` entry. */
export interface LoadedPatch {
  readonly entry: PatchEntry
  readonly source: string
  /** Strategic merge patches, or JSON 6902 operations. */
  readonly change: readonly StrategicPatch[] | ResourceChange
}

/**
 * Parses an entry: its text is one or more strategic merge patches, or a JSON patch if it can't be read as resources.
 * Throws KustomizeError if it is neither, or has both `patch` and `path`, or none.
 */
export const loadPatch = (entry: ShownPatch, environment: TransformerEnvironment): LoadedPatch => {
  const { loader, file: within, step, read, budget } = environment
  const inline = entry.patch?.trim() ?? ''
  const path = entry.path ?? ''
  const place = { file: within, field: 'patch' }
  if (inline === '' && path === '')
    throw new KustomizeError(`must specify one of patch and path in\n${entry.shown}`, place)
  if (inline !== '' && path !== '')
    throw new KustomizeError(`patch and path can't be set at the same time\n${entry.shown}`, place)
  const source = path ? `[path: ${quote(path)}]` : `[patch: ${quote(inline)}]`
  const text = path ? loadText(loader, path) : inline
  const file = path ? (loader.resolve(path) ?? path) : within
  const origin = { file, overlay: loader.directory }
  const patches = attempt(() => read(['patches', origin, text], () => readResources(text, environment, origin)))
  if (patches)
    return {
      entry,
      source,
      change: patches.map((patch, i) => strategicPatch(patch, [text, i], entry.options, environment)),
    }
  const operations = attempt(() => readJsonPatch(text, budget))
  if (!operations) throw new KustomizeError(`unable to parse SM or JSON patch from ${source}`, path ? { file } : place)
  return { entry, source, change: step(['json patch', text], jsonChange(operations, budget)) }
}

const jsonChange =
  (patch: JsonPatch, budget: Budget): ResourceChange =>
  resource => {
    resource.storePreviousId()
    applyJsonPatch(resource, patch, budget)
  }

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error
    return undefined
  }
}

const loadText = (loader: Loader, path: string): string => {
  try {
    return Buffer.from(loader.load(path)).toString()
  } catch (error) {
    throw wrapError(`failed to get the patch file from path(${path})`, error)
  }
}

/**
 * Applies a patch to the resources of its target. A strategic merge patch without a target applies to the resource that
 * it names; a JSON patch without one throws KustomizeError.
 */
export const applyPatch = (map: ResourceMap, { entry, source, change }: LoadedPatch): void => {
  if (typeof change !== 'function') {
    applyStrategic(map, entry, source, change)
    return
  }
  if (!entry.target)
    throw new KustomizeError(`must specify a target for JSON patch ${source}`, { field: 'patches.target' })
  for (const resource of selectResources(map.list, entry.target)) change(resource)
}

const applyStrategic = (
  map: ResourceMap,
  entry: PatchEntry,
  source: string,
  patches: readonly StrategicPatch[],
): void => {
  if (entry.target) {
    if (patches.length > 1)
      throw new KustomizeError(
        `Multiple Strategic-Merge Patches in one \`patches\` entry is not allowed to set \`patches.target\` field: ${source}`,
        { field: 'patches.target' },
      )
    if (patches[0]) applyStrategicPatchTo(map, selectResources(map.list, entry.target), patches[0])
    return
  }
  for (const { patch, applyToSame } of patches) {
    let target: Resource
    try {
      target = map.one(patch.originalId())
    } catch (error) {
      throw wrapError(`no resource matches strategic merge patch ${quote(idString(patch.originalId()))}`, error, {
        file: patch.origin.file,
        field: 'patches',
      })
    }
    applyToSame(target)
  }
}
