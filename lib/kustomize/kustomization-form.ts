import type { Form, StructForm } from './go-struct.ts'

/** The fields of a kustomization.yaml and their types. */

const list = (form: Form): Form => ({ list: form })
const STRINGS = list('string')
const STRING_MAP: Form = { map: 'string' }
const struct = (name: string, fields: Record<string, Form>): StructForm => ({ struct: name, fields })

const GVK = { group: 'string', version: 'string', kind: 'string' } as const
const ID = { ...GVK, name: 'string', namespace: 'string' } as const

export const FIELD_SPEC = struct('FieldSpec', { ...GVK, path: 'string', create: 'bool' })

export const SELECTOR = struct('Selector', { ...ID, annotationSelector: 'string', labelSelector: 'string' })

const PATCH = struct('Patch', {
  path: 'string',
  patch: 'string',
  target: SELECTOR,
  options: struct('PatchArgs', { allowNameChange: 'bool', allowKindChange: 'bool' }),
})

export const IMAGE = struct('Image', {
  name: 'string',
  newName: 'string',
  tagSuffix: 'string',
  newTag: 'string',
  digest: 'string',
})

const FIELD_OPTIONS = struct('FieldOptions', { delimiter: 'string', index: 'int', encoding: 'string', create: 'bool' })

export const REPLACEMENT = struct('ReplacementField', {
  path: 'string',
  source: struct('SourceSelector', { ...ID, fieldPath: 'string', options: FIELD_OPTIONS }),
  sourceValue: 'string',
  targets: list(
    struct('TargetSelector', {
      select: SELECTOR,
      reject: list(SELECTOR),
      fieldPaths: STRINGS,
      options: FIELD_OPTIONS,
    }),
  ),
})

export const REPLICA = struct('Replica', { name: 'string', count: 'int' })

const GENERATOR_OPTIONS = struct('GeneratorOptions', {
  labels: STRING_MAP,
  annotations: STRING_MAP,
  disableNameSuffixHash: 'bool',
  immutable: 'bool',
})

const GENERATOR_FIELDS: Record<string, Form> = {
  name: 'string',
  namespace: 'string',
  behavior: 'string',
  literals: STRINGS,
  files: STRINGS,
  envs: STRINGS,
  env: 'string',
  options: GENERATOR_OPTIONS,
}

export const CONFIG_MAP_ARGS = struct('ConfigMapArgs', GENERATOR_FIELDS)
export const SECRET_ARGS = struct('SecretArgs', { ...GENERATOR_FIELDS, type: 'string' })

const LABEL = struct('Label', {
  pairs: STRING_MAP,
  includeSelectors: 'bool',
  includeTemplates: 'bool',
  includeVolumeClaimTemplates: 'bool',
  fields: list(FIELD_SPEC),
})

const VAR = struct('Var', {
  name: 'string',
  objref: struct('Target', { apiVersion: 'string', ...ID }),
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

export const SORT_OPTIONS = struct('SortOptions', {
  order: 'string',
  legacySortOptions: struct('LegacySortOptions', { orderFirst: STRINGS, orderLast: STRINGS }),
})

export const KUSTOMIZATION = struct('Kustomization', {
  apiVersion: 'string',
  kind: 'string',
  metadata: struct('ObjectMeta', {
    name: 'string',
    namespace: 'string',
    labels: STRING_MAP,
    annotations: STRING_MAP,
  }),
  openapi: STRING_MAP,
  namePrefix: 'string',
  nameSuffix: 'string',
  namespace: 'string',
  commonLabels: STRING_MAP,
  labels: list(LABEL),
  commonAnnotations: STRING_MAP,
  patchesStrategicMerge: STRINGS,
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
})
