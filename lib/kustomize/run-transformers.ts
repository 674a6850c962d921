import { emitJson } from '../yaml/emit-json.ts'
import type { JsonObject } from '../yaml/json-value.ts'
import type { Accumulator } from './accumulator.ts'
import type { BuildContext } from './build-tree.ts'
import { fieldSpec } from './field-spec.ts'
import type { Target } from './kustomization-target.ts'
import { wrapError } from './kustomize-error.ts'
import { mergeSpecs } from './merge-field-specs.ts'
import { specsOf } from './read-field-specs.ts'
import { setImages } from './transformers/images.ts'
import { setMetadataEntries } from './transformers/metadata-entries.ts'
import { addAffix } from './transformers/name-affix.ts'
import { setNamespace } from './transformers/namespace.ts'
import { applyPatch, loadPatch } from './transformers/patches.ts'
import { setReplicas } from './transformers/replicas.ts'

/** A step over all resources that a kustomization has gathered. */
type Transform = () => void

/** Runs a kustomization's transformers in kustomize's order. What is wrong with their configuration is told before any runs. */
export const runTransformers = (gathered: Accumulator, target: Target, context: BuildContext): void => {
  for (const transform of builtInTransforms(gathered, target, context)) {
    transform()
    gathered.resources.dropEmpty()
  }
}

const builtInTransforms = (
  gathered: Accumulator,
  { kustomization, loader, file }: Target,
  { schema }: BuildContext,
): Transform[] => {
  const { resources, specs } = gathered
  const { namespace, namePrefix, nameSuffix, labels, commonLabels, commonAnnotations, images, replicas } = kustomization
  const transforms: Transform[] = []

  for (const entry of kustomization.patches) {
    const shown = emitJson(entry as unknown as JsonObject)
    try {
      const patch = loadPatch(entry, loader, schema, shown)
      transforms.push(() => applyPatch(resources, patch))
    } catch (error) {
      throw wrapError(`trouble configuring builtin PatchTransformer with config: \`\n${shown}\``, error, {
        file,
        field: 'patches',
      })
    }
  }
  if (namespace) transforms.push(() => setNamespace(resources, { namespace, specs: specs.namespace }))
  if (namePrefix)
    transforms.push(() => {
      addAffix(resources.list, 'prefix', namePrefix, specs.namePrefix)
      resources.touch()
    })
  if (nameSuffix)
    transforms.push(() => {
      addAffix(resources.list, 'suffix', nameSuffix, specs.nameSuffix)
      resources.touch()
    })
  for (const label of labels) {
    const own = specsOf(label.fields)
    let places = mergeSpecs(own, specs.labels)
    if (label.includeSelectors) places = mergeSpecs(places, specs.commonLabels)
    else {
      if (label.includeTemplates) places = mergeSpecs(places, specs.templateLabels)
      if (label.includeVolumeClaimTemplates) places = mergeSpecs(places, specs.volumeClaimTemplateLabels)
      places = mergeSpecs(places, [fieldSpec('metadata/labels', {}, true)])
    }
    transforms.push(() => setMetadataEntries(resources.list, label.pairs ?? {}, places))
  }
  transforms.push(() => setMetadataEntries(resources.list, commonLabels, specs.commonLabels))
  transforms.push(() => setMetadataEntries(resources.list, commonAnnotations, specs.commonAnnotations))
  for (const replica of replicas) transforms.push(() => setReplicas(resources, replica, specs.replicas))
  for (const image of images) transforms.push(() => setImages(resources.list, image, specs.images))
  return transforms
}
