import type { Budget } from '../../foundations/budget/budget.ts'
import { emitJson } from '../yaml/emit-json.ts'
import type { JsonObject, JsonValue } from '../yaml/json-value.ts'
import type { FieldSpecs } from './default-field-specs.ts'
import type { FieldSpec } from './field-spec.ts'
import type { Kustomization, LabelEntry, ReplacementEntry } from './kustomization.ts'
import { type ErrorPlace, locatedInStep, wrapError } from './kustomize-error.ts'
import { mergeSpecs } from './merge-field-specs.ts'
import { noteTransformer } from './origin.ts'
import {
  annotationsTransformer,
  type BuiltinTransformer,
  imageTagTransformer,
  labelTransformer,
  METADATA_LABELS,
  namespaceTransformer,
  patchJson6902Transformer,
  patchStrategicMergeTransformer,
  patchTransformer,
  prefixTransformer,
  replacementTransformer,
  replicaCountTransformer,
  suffixTransformer,
} from './plugins/builtin-transformers.ts'
import type { Transformer, TransformerEnvironment } from './plugins/plugin.ts'
import { specsOf } from './read-field-specs.ts'
import type { ResourceMap } from './resource-map.ts'

/** A transformer costs several times as much per resource as accumulating it. */
const stepsPerChange = 4

/** Runs transformers one after the other; drops deleted resources in between. */
export const runTransformers = async (
  map: ResourceMap,
  transformers: readonly Transformer[],
  budget: Budget,
): Promise<void> => {
  for (const transformer of transformers) {
    budget.spend('steps', stepsPerChange * map.list.length, transformer.place?.file)
    await runTransformer(map, transformer)
    if (transformer.origin) noteTransformer(map.list, transformer.origin)
    map.dropEmpty()
  }
}

/** Errors without a place get that of the transformer's configuration. */
export const runTransformer = async (map: ResourceMap, { run, place = {} }: Transformer): Promise<void> => {
  try {
    await run(map)
  } catch (error) {
    throw locatedInStep(error, place)
  }
}

/**
 * The transformers for a kustomization's fields, in kustomize's order. All are set up before any runs, so that configuration errors are
 * reported first.
 */
export const builtinTransformers = (
  kustomization: Kustomization,
  specs: FieldSpecs,
  environment: TransformerEnvironment,
  originOf: (kind: string) => Transformer['origin'],
): Transformer[] => {
  const transformers: Transformer[] = []
  /** `field` is added to errors that name no other. */
  const add = <Config extends object>(builtin: BuiltinTransformer<Config>, config: Config, field?: string): void => {
    const kind = builtin.kind
    const place = { file: environment.file, field }
    transformers.push({ run: setUp(builtin, config, environment, place), origin: originOf(kind), place })
  }
  const { namespace, namePrefix, nameSuffix, commonLabels, commonAnnotations, patchesStrategicMerge } = kustomization

  if (patchesStrategicMerge.length > 0)
    add(patchStrategicMergeTransformer, { paths: patchesStrategicMerge }, 'patchesStrategicMerge')
  for (const [i, patch] of kustomization.patches.entries())
    add(
      patchTransformer,
      {
        ...patch,
        get shown() {
          return shownConfig(patch)
        },
      },
      `patches[${i}]`,
    )
  if (namespace) add(namespaceTransformer, { metadata: { namespace }, fieldSpecs: specs.namespace })
  if (namePrefix) add(prefixTransformer, { prefix: namePrefix, fieldSpecs: specs.namePrefix })
  if (nameSuffix) add(suffixTransformer, { suffix: nameSuffix, fieldSpecs: specs.nameSuffix })
  for (const label of kustomization.labels)
    add(labelTransformer, { labels: label.pairs, fieldSpecs: labelSpecs(label, specs) })
  if (kustomization.labels.length > 0 || Object.keys(commonLabels).length > 0)
    add(labelTransformer, { labels: commonLabels, fieldSpecs: specs.commonLabels })
  if (Object.keys(commonAnnotations).length > 0)
    add(annotationsTransformer, { annotations: commonAnnotations, fieldSpecs: specs.commonAnnotations })
  for (const [i, { target, path, patch }] of kustomization.patchesJson6902.entries())
    add(patchJson6902Transformer, { target, path, jsonOp: patch }, `patchesJson6902[${i}]`)
  for (const replica of kustomization.replicas) add(replicaCountTransformer, { replica, fieldSpecs: specs.replicas })
  for (const imageTag of kustomization.images) add(imageTagTransformer, { imageTag, fieldSpecs: specs.images })
  if (kustomization.replacements.length > 0) {
    const replacements = kustomization.replacements.map(withoutTargets)
    const config = {
      replacements,
      get shown() {
        return shownConfig({ Replacements: replacements })
      },
    }
    add(replacementTransformer, config, 'replacements')
  }
  return transformers
}

const setUp = <Config extends object>(
  builtin: BuiltinTransformer<Config>,
  config: Config,
  environment: TransformerEnvironment,
  place: ErrorPlace,
): Transformer['run'] => {
  try {
    return builtin.configure(config, environment)
  } catch (error) {
    const { shown, fieldSpecs: _, ...own } = config as { shown?: string; fieldSpecs?: unknown }
    throw wrapError(
      `trouble configuring builtin ${builtin.kind} with config: \`\n${shown ?? shownConfig(own)}\``,
      error,
      place,
    )
  }
}

/** Kustomize serializes the entry and reads it again: an empty list of targets becomes absent. */
const withoutTargets = ({ targets, ...entry }: ReplacementEntry): ReplacementEntry =>
  targets?.length ? { ...entry, targets } : entry

/** A configuration as kustomize prints it: without empty fields. */
const shownConfig = (config: object): string => emitJson(withoutEmpty(config as JsonObject) ?? {})

const withoutEmpty = (value: JsonValue | undefined): JsonValue | undefined => {
  if (!value) return undefined
  if (Array.isArray(value) || typeof value !== 'object') return value
  const fields = Object.entries(value).flatMap(([key, inner]) => {
    const kept = withoutEmpty(inner)
    return kept === undefined ? [] : [[key, kept] as const]
  })
  return Object.fromEntries(fields)
}

/** The field specs of a label: its own, those of configurations, and selectors or templates if requested. */
const labelSpecs = (label: LabelEntry, specs: FieldSpecs): readonly FieldSpec[] => {
  let places = mergeSpecs(specsOf(label.fields), specs.labels)
  if (label.includeSelectors) return mergeSpecs(places, specs.commonLabels)
  if (label.includeTemplates) places = mergeSpecs(places, specs.templateLabels)
  if (label.includeVolumeClaimTemplates) places = mergeSpecs(places, specs.volumeClaimTemplateLabels)
  return mergeSpecs(places, [METADATA_LABELS])
}
