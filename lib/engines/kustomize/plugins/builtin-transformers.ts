import type { FieldSpec } from '../field-spec.ts'
import { fieldSpec } from '../field-spec.ts'
import type { StructForm } from '../go-struct.ts'
import type { ImageEntry, ReplacementEntry, ReplicaEntry, SelectorEntry, StringMap } from '../kustomization.ts'
import {
  FIELD_SPEC,
  IMAGE,
  OBJECT_META,
  PATCH_FIELDS,
  PATCH_STRATEGIC_MERGE,
  REPLACEMENT,
  REPLICA,
  SELECTOR,
  struct,
} from '../kustomization-form.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { nameHash } from '../name-hash.ts'
import { loadReplacements } from '../replacements/load-replacements.ts'
import { applyReplacement } from '../replacements/replacement.ts'
import type { ResourceChange } from '../resource.ts'
import type { ResourceMap } from '../resource-map.ts'
import { setImages } from '../transformers/images.ts'
import { loadJsonPatch, loadStrategicPatches } from '../transformers/legacy-patches.ts'
import { setMetadataEntries } from '../transformers/metadata-entries.ts'
import { addAffix } from '../transformers/name-affix.ts'
import { moveTo, type SubjectMode, setNamespace } from '../transformers/namespace.ts'
import { applyPatch, loadPatch, type ShownPatch } from '../transformers/patches.ts'
import { setReplicas } from '../transformers/replicas.ts'
import { addValues, loadValueTargets, type ValueAddConfig } from '../transformers/value-add.ts'
import type { MakeStep, TransformerEnvironment } from './plugin.ts'

export type Transform = (map: ResourceMap) => void

/** A built-in transformer of kustomize: the form of its configuration, and what it does with one. */
export interface BuiltinTransformer<Config> {
  readonly kind: string
  readonly form: StructForm
  /** Prefix of errors in the form. */
  readonly reading?: string
  configure(config: Config, environment: TransformerEnvironment): Transform
}

const SPECS = { list: FIELD_SPEC } as const

const define = <Config>(
  kind: string,
  fields: StructForm['fields'],
  configure: BuiltinTransformer<Config>['configure'],
): BuiltinTransformer<Config> => ({ kind, form: struct(`${kind}Plugin`, fields), configure })

interface WithSpecs {
  readonly fieldSpecs?: readonly FieldSpec[]
}

/** A change of all resources, each by itself. */
const toEach =
  (change: ResourceChange): Transform =>
  map => {
    for (const resource of map.list) change(resource)
  }

const metadataEntries = (
  entries: StringMap = {},
  fieldSpecs: readonly FieldSpec[] = [],
  { step, budget }: TransformerEnvironment,
): Transform =>
  Object.keys(entries).length === 0
    ? () => undefined
    : toEach(step(['metadata entries', entries, fieldSpecs], setMetadataEntries(entries, fieldSpecs, budget)))

export const annotationsTransformer = define<WithSpecs & { annotations?: StringMap }>(
  'AnnotationsTransformer',
  { annotations: { map: 'string' }, fieldSpecs: SPECS },
  ({ annotations, fieldSpecs }, environment) => metadataEntries(annotations, fieldSpecs, environment),
)

export const labelTransformer = define<WithSpecs & { labels?: StringMap }>(
  'LabelTransformer',
  { labels: { map: 'string' }, fieldSpecs: SPECS },
  ({ labels, fieldSpecs }, environment) => metadataEntries(labels, fieldSpecs, environment),
)

interface AffixConfig extends WithSpecs {
  readonly prefix?: string
  readonly suffix?: string
}

const AFFIX_FIELDS = { prefix: 'string', suffix: 'string', fieldSpecs: SPECS } as const

const affixes = (config: AffixConfig, kinds: readonly ('prefix' | 'suffix')[], step: MakeStep): Transform => {
  const { fieldSpecs } = config
  if (!fieldSpecs) throw new KustomizeError('fieldSpecs is not expected to be nil', { field: 'fieldSpecs' })
  const changes = kinds.map(kind => {
    const affix = config[kind] ?? ''
    return toEach(step([kind, affix, fieldSpecs], addAffix(kind, affix, fieldSpecs)))
  })
  return map => {
    for (const change of changes) change(map)
  }
}

export const prefixTransformer = define<AffixConfig>('PrefixTransformer', AFFIX_FIELDS, (config, { step }) =>
  affixes(config, ['prefix'], step),
)
export const suffixTransformer = define<AffixConfig>('SuffixTransformer', AFFIX_FIELDS, (config, { step }) =>
  affixes(config, ['suffix'], step),
)
const prefixSuffixTransformer = define<AffixConfig>('PrefixSuffixTransformer', AFFIX_FIELDS, (config, { step }) =>
  affixes(config, ['prefix', 'suffix'], step),
)

interface NamespaceConfig extends WithSpecs {
  readonly metadata?: { readonly namespace?: string }
  readonly unsetOnly?: boolean
  readonly setRoleBindingSubjects?: string
}

const isSubjectMode = (mode: string): mode is SubjectMode =>
  mode === 'defaultOnly' || mode === 'allServiceAccounts' || mode === 'none'

export const namespaceTransformer: BuiltinTransformer<NamespaceConfig> = {
  reading: 'unmarshalling NamespaceTransformer config',
  ...define<NamespaceConfig>(
    'NamespaceTransformer',
    {
      metadata: OBJECT_META,
      fieldSpecs: SPECS,
      unsetOnly: 'bool',
      setRoleBindingSubjects: { text: 'namespace.RoleBindingSubjectMode' },
    },
    ({ metadata, fieldSpecs = [], unsetOnly, setRoleBindingSubjects }, { step }) => {
      const subjects = setRoleBindingSubjects || 'defaultOnly'
      if (!isSubjectMode(subjects))
        throw new KustomizeError(
          `invalid value ${JSON.stringify(subjects)} for setRoleBindingSubjects: must be one of "defaultOnly", "none" or "allServiceAccounts"`,
          { field: 'setRoleBindingSubjects' },
        )
      const { namespace = '' } = metadata ?? {}
      if (namespace === '') return () => undefined
      const options = { namespace, specs: fieldSpecs, unsetOnly, subjects }
      const move = step(['namespace', options], moveTo(options))
      return map => setNamespace(map, move)
    },
  ),
}

export const imageTagTransformer = define<WithSpecs & { imageTag?: ImageEntry }>(
  'ImageTagTransformer',
  { imageTag: IMAGE, fieldSpecs: SPECS },
  ({ imageTag = {}, fieldSpecs = [] }, { step }) =>
    toEach(step(['image', imageTag, fieldSpecs], setImages(imageTag, fieldSpecs))),
)

export const replicaCountTransformer = define<WithSpecs & { replica?: ReplicaEntry }>(
  'ReplicaCountTransformer',
  { replica: REPLICA, fieldSpecs: SPECS },
  ({ replica = {}, fieldSpecs = [] }, { step }) =>
    map =>
      setReplicas(map, replica, fieldSpecs, step),
)

export const replacementTransformer = define<{ replacements?: readonly ReplacementEntry[]; readonly shown?: string }>(
  'ReplacementTransformer',
  { replacements: { list: REPLACEMENT } },
  ({ replacements = [] }, { loader, budget }) => {
    const loaded = loadReplacements(replacements, loader)
    return map => {
      for (const replacement of loaded) applyReplacement(map.list, replacement, budget)
    }
  },
)

export const patchTransformer = define<ShownPatch>('PatchTransformer', PATCH_FIELDS, (entry, environment) => {
  const patch = loadPatch(entry, environment)
  return map => applyPatch(map, patch)
})

export const patchStrategicMergeTransformer = define<{ paths?: readonly string[]; patches?: string }>(
  'PatchStrategicMergeTransformer',
  { paths: { list: PATCH_STRATEGIC_MERGE }, patches: 'string' },
  (config, environment) => loadStrategicPatches(config, environment),
)

export const patchJson6902Transformer = define<{ target?: SelectorEntry; path?: string; jsonOp?: string }>(
  'PatchJson6902Transformer',
  { target: SELECTOR, path: 'string', jsonOp: 'string' },
  (config, environment) => loadJsonPatch(config, environment),
)

const hashTransformer = define('HashTransformer', {}, (_, { step }) => addHashes(step))

/** Adds a hash of the content to names of generated ConfigMaps and Secrets, so that changed content gets a new name. */
export const addHashes = (step: MakeStep): Transform => {
  const add = step('hash', resource => {
    const hash = nameHash(resource)
    resource.storePreviousId()
    resource.setName(`${resource.name}-${hash}`)
  })
  return map => {
    for (const resource of map.list) if (resource.needsHash) add(resource)
  }
}

const VALUE_TARGET = struct('Target', { selector: SELECTOR, fieldPath: 'string', filePathPosition: 'int' })
const VALUE_TARGETS = { list: { ...VALUE_TARGET, package: 'builtins' } } as const

const valueAddTransformer = define<ValueAddConfig>(
  'ValueAddTransformer',
  { value: 'string', targets: VALUE_TARGETS, targetFilePath: 'string' },
  (config, { loader }) => {
    const loaded = loadValueTargets(config, loader, VALUE_TARGETS)
    return map => addValues(map, loaded)
  },
)

/** All by the kind that `transformers:` files use; configurations were already checked against the form. */
export const BUILTIN_TRANSFORMERS: ReadonlyMap<string, BuiltinTransformer<never>> = new Map(
  [
    annotationsTransformer,
    hashTransformer,
    imageTagTransformer,
    labelTransformer,
    namespaceTransformer,
    patchJson6902Transformer,
    patchStrategicMergeTransformer,
    patchTransformer,
    prefixSuffixTransformer,
    prefixTransformer,
    replacementTransformer,
    replicaCountTransformer,
    suffixTransformer,
    valueAddTransformer,
  ].map(builtin => [builtin.kind, builtin as BuiltinTransformer<never>]),
)

/** Where labels that aren't selectors go. */
export const METADATA_LABELS: FieldSpec = fieldSpec('metadata/labels', {}, true)
