import {
  clearField,
  field,
  isMissing,
  lookup,
  mapNode,
  scalarNode,
  setField,
  stringNode,
  type YamlNode,
} from '../yaml/node.ts'
import { accumulate } from './accumulate.ts'
import type { BuildContext } from './build-context.ts'
import { openTarget } from './kustomization-target.ts'
import { KustomizeError, within } from './kustomize-error.ts'
import type { Loader } from './loader.ts'
import { fixNameReferences } from './name-references/fix-name-references.ts'
import type { Derivation } from './object-snapshot.ts'
import { ORIGIN_ANNOTATION, TRANSFORMATIONS_ANNOTATION } from './origin.ts'
import { addHashes, METADATA_LABELS } from './plugins/builtin-transformers.ts'
import type { MakeStep } from './plugins/plugin.ts'
import type { Resource, ResourceChange } from './resource.ts'
import { ResourceMap } from './resource-map.ts'
import { sortResources } from './sort-resources.ts'
import { setMetadataEntries } from './transformers/metadata-entries.ts'
import { validateMetadata } from './validate-metadata.ts'
import { resolveVars } from './vars/resolve-vars.ts'

/** The kustomize release that this engine reproduces. */
const KUSTOMIZE_VERSION = 'v5.8.2'
const MANAGED_BY = { 'app.kubernetes.io/managed-by': `kustomize-${KUSTOMIZE_VERSION}` }

/** Builds a kustomization and everything below it: accumulates, resolves what needs all resources, then sorts. */
export const buildTree = async (loader: Loader, context: BuildContext): Promise<readonly Resource[]> => {
  const opened = await openTarget(loader, context)
  const target = opened.kustomization.buildMetadata.length > 0 ? { ...opened, source: { path: '' } } : opened
  const { kustomization } = target
  within({ file: target.file, field: 'openapi' }, () => context.schema.use(kustomization.openapi, loader))

  const { resources, specs, vars } = await accumulate(target, context)
  const step: MakeStep = (key, change) => context.memory.step(key, change)
  addHashes(step)(resources)
  fixNameReferences(resources.list, specs.nameReference, context.memory)
  within({ file: target.file }, () => resolveVars(resources, vars.list(), specs.varReference, context.warn))
  dropLocalConfig(resources)
  within({ file: target.file }, () => sortResources(resources, kustomization.sortOptions, context))

  const changes = [step(['clean', kustomization.buildMetadata], cleanAnnotations(kustomization.buildMetadata))]
  if (context.managedByLabel || kustomization.buildMetadata.includes('managedByLabel'))
    changes.unshift(step('managed by', setMetadataEntries(MANAGED_BY, [METADATA_LABELS], context.budget)))
  for (const resource of resources.list) for (const change of changes) change(resource)
  return resources.list
}

/**
 * All resources must still have a kind and a name. Drops local configuration, except if it has the id of a resource that is kept, as in
 * kustomize. The remaining resources must have distinct ids.
 */
const dropLocalConfig = (map: ResourceMap): void => {
  const kept = new ResourceMap()
  const isLocal = (resource: Resource): boolean =>
    within({ file: resource.origin.file }, () => resource.derive(isLocalConfig))
  kept.appendAll(map.list.filter(resource => !isLocal(resource)))
  const ids = new Set(kept.list.map(resource => resource.currentKey()))
  map.list = map.list.filter(resource => ids.has(resource.currentKey()))
}

const isLocalConfig: Derivation<boolean> = node => {
  validateMetadata(node)
  const local = lookup(node, 'metadata', 'annotations', 'config.kubernetes.io/local-config')
  return local !== undefined && local.value !== 'false'
}

/** Converts annotation values to strings, and removes empty annotation maps and origins that were not requested. */
const cleanAnnotations = (metadata: readonly string[]): ResourceChange => {
  const dropped = new Set<string>()
  if (!metadata.includes('originAnnotations')) dropped.add(ORIGIN_ANNOTATION)
  if (!metadata.includes('transformerAnnotations')) dropped.add(TRANSFORMATIONS_ANNOTATION)
  return ({ node, origin }) => {
    const meta = field(node, 'metadata')
    if (isMissing(meta)) return setField(node!, 'metadata', mapNode([]))
    const annotations = field(meta, 'annotations')
    if (!annotations) return
    const kept: YamlNode[] = []
    const { content } = annotations
    for (let i = 0; i < content.length; i += 2) {
      const key = content[i]!.value
      if (i + 1 === content.length)
        throw new KustomizeError(`annotation ${JSON.stringify(key)} has no value`, {
          file: origin.file,
          field: 'metadata.annotations',
        })
      if (!dropped.has(key)) kept.push(scalarNode(key), stringNode(content[i + 1]!.value))
    }
    if (kept.length === 0) clearField(meta, 'annotations')
    else setField(meta, 'annotations', mapNode(kept))
  }
}
