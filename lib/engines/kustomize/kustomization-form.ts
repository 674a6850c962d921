import type { Form, ListForm, NamedText, StructForm } from './go-struct.ts'

/** The fields of a kustomization.yaml and their types. */

const list = (form: Form): ListForm => ({ list: form })
const pointers = (form: Form): ListForm => ({ list: form, pointers: true })
const STRINGS = list('string')
const STRING_MAP: Form = { map: 'string' }
/** A Go struct by its type's name, with the JSON fields of its own and of the structs that it embeds. */
export const struct = (name: string, fields: StructForm['fields'], embeds: readonly StructForm[] = []): StructForm => ({
  struct: name,
  fields,
  embeds,
})

export const GVK = struct('Gvk', { group: 'string', version: 'string', kind: 'string' })
const ID = struct('ResId', { name: 'string', namespace: 'string' }, [GVK])

export const FIELD_SPEC = struct('FieldSpec', { path: 'string', create: 'bool' }, [GVK])

export const SELECTOR = struct('Selector', { annotationSelector: 'string', labelSelector: 'string' }, [ID])

/** A patch, or the path of a file with one. */
export const PATCH_STRATEGIC_MERGE: NamedText = { text: 'types.PatchStrategicMerge' }

export const PATCH_FIELDS: StructForm['fields'] = {
  path: 'string',
  patch: 'string',
  target: SELECTOR,
  options: struct('PatchArgs', { allowNameChange: 'bool', allowKindChange: 'bool' }),
}
const PATCH = struct('Patch', PATCH_FIELDS)

export const IMAGE = struct('Image', {
  name: 'string',
  newName: 'string',
  tagSuffix: 'string',
  newTag: 'string',
  digest: 'string',
})

const FIELD_OPTIONS = struct('FieldOptions', { delimiter: 'string', index: 'int', encoding: 'string', create: 'bool' })

const TARGET_SELECTOR = struct('TargetSelector', {
  select: SELECTOR,
  reject: pointers(SELECTOR),
  fieldPaths: STRINGS,
  options: FIELD_OPTIONS,
})

export const REPLACEMENT = struct('ReplacementField', { path: 'string' }, [
  struct('Replacement', {
    source: struct('SourceSelector', { fieldPath: 'string', options: FIELD_OPTIONS }, [ID]),
    sourceValue: 'string',
    targets: pointers(TARGET_SELECTOR),
  }),
])

export const REPLICA = struct('Replica', { name: 'string', count: 'int64' })

const GENERATOR_OPTIONS = struct('GeneratorOptions', {
  labels: STRING_MAP,
  annotations: STRING_MAP,
  disableNameSuffixHash: 'bool',
  immutable: 'bool',
})

const GENERATOR_ARGS = struct(
  'GeneratorArgs',
  { name: 'string', namespace: 'string', behavior: 'string', options: GENERATOR_OPTIONS },
  [struct('KvPairSources', { literals: STRINGS, files: STRINGS, envs: STRINGS, env: 'string' })],
)

export const CONFIG_MAP_ARGS = struct('ConfigMapArgs', {}, [GENERATOR_ARGS])
export const SECRET_ARGS = struct('SecretArgs', { type: 'string' }, [GENERATOR_ARGS])

const LABEL = struct('Label', {
  pairs: STRING_MAP,
  includeSelectors: 'bool',
  includeTemplates: 'bool',
  includeVolumeClaimTemplates: 'bool',
  fields: list(FIELD_SPEC),
})

const VAR = struct('Var', {
  name: 'string',
  objref: struct('Target', { apiVersion: 'string', name: 'string', namespace: 'string' }, [GVK]),
  fieldref: struct('FieldSelector', { fieldPath: 'string' }),
})

export const HELM_CHART = struct('HelmChart', {
  name: 'string',
  version: 'string',
  repo: 'string',
  releaseName: 'string',
  namespace: 'string',
  additionalValuesFiles: STRINGS,
  valuesFile: 'string',
  valuesInline: { map: 'any' },
  valuesMerge: 'string',
  includeCRDs: 'bool',
  skipHooks: 'bool',
  apiVersions: STRINGS,
  kubeVersion: 'string',
  nameTemplate: 'string',
  skipTests: 'bool',
  debug: 'bool',
  devel: 'bool',
})

export const HELM_GLOBALS = struct('HelmGlobals', { chartHome: 'string', configHome: 'string' })

const OLD_HELM_CHART = struct('HelmChartArgs', {
  chartName: 'string',
  chartVersion: 'string',
  chartRepoUrl: 'string',
  chartHome: 'string',
  chartRepoName: 'string',
  helmBin: 'string',
  helmHome: 'string',
  values: 'string',
  valuesLocal: { map: 'any' },
  valuesMerge: 'string',
  releaseName: 'string',
  releaseNamespace: 'string',
  extraArgs: STRINGS,
})

const SORT_OPTIONS = struct('SortOptions', {
  order: { text: 'types.SortOrder' },
  legacySortOptions: struct('LegacySortOptions', { orderFirst: STRINGS, orderLast: STRINGS }),
})

export const OBJECT_META = struct('ObjectMeta', {
  name: 'string',
  namespace: 'string',
  labels: STRING_MAP,
  annotations: STRING_MAP,
})

const KUSTOMIZATION_FIELDS: StructForm['fields'] = {
  metadata: OBJECT_META,
  openapi: STRING_MAP,
  namePrefix: 'string',
  nameSuffix: 'string',
  namespace: 'string',
  commonLabels: STRING_MAP,
  labels: list(LABEL),
  commonAnnotations: STRING_MAP,
  patchesStrategicMerge: list(PATCH_STRATEGIC_MERGE),
  patchesJson6902: list(PATCH),
  patches: list(PATCH),
  images: list(IMAGE),
  imageTags: list(IMAGE),
  replacements: list(REPLACEMENT),
  replicas: list(REPLICA),
  vars: list(VAR),
  sortOptions: SORT_OPTIONS,
  resources: STRINGS,
  components: STRINGS,
  crds: STRINGS,
  bases: STRINGS,
  configMapGenerator: list(CONFIG_MAP_ARGS),
  secretGenerator: list(SECRET_ARGS),
  helmGlobals: HELM_GLOBALS,
  helmCharts: list(HELM_CHART),
  helmChartInflationGenerator: list(OLD_HELM_CHART),
  generatorOptions: GENERATOR_OPTIONS,
  configurations: STRINGS,
  generators: STRINGS,
  transformers: STRINGS,
  validators: STRINGS,
  buildMetadata: STRINGS,
}

export const KUSTOMIZATION = struct('Kustomization', KUSTOMIZATION_FIELDS, [
  struct('TypeMeta', { kind: 'string', apiVersion: 'string' }),
])
