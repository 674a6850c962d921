/** Validates CustomResourceDefinitions, with Kubernetes' messages. */

import type { CustomResourceDefinition, DefinedNames, DefinedVersion } from './custom-resource-definition.ts'
import { checkSubdomain } from './names.ts'
import type { RuleChecks } from './schema/check-structural.ts'
import { checkStructural } from './schema/check-structural.ts'
import type { FieldError } from './schema/field-error.ts'
import { duplicate, forbidden, invalid, required, unsupported } from './schema/field-error.ts'
import { parseJsonPath } from './schema/json-path.ts'
import { isSameJson } from './schema/same-json.ts'
import type { StructuralSchema } from './schema/schema.ts'

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']

/** All errors of a definition; `old` is the previous one on an update, `rules` checks CEL. */
export const checkDefinition = (
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  rules: RuleChecks,
): FieldError[] => {
  const { spec, metadata } = definition
  if (!spec) return [required('spec')]
  const { group = '', scope = '', names } = spec
  const versions = spec.versions ?? []
  const storage = versions.filter(version => version.storage)
  const wantedName = `${names?.plural ?? ''}.${group}`
  return [
    ...(metadata.name === wantedName
      ? []
      : [invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')]),
    ...checkGroup(group),
    ...checkScope(scope),
    ...versions.flatMap((version, index) => checkVersion(version, index, versions.length === 1, rules, old)),
    ...checkUniqueNames(versions),
    ...(storage.length === 1
      ? []
      : [invalid('spec.versions', null, 'must have exactly one version marked as storage version')]),
    ...checkNames(names),
    ...checkConversion(definition),
    ...(spec.preserveUnknownFields
      ? [
          invalid(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ),
        ]
      : []),
    ...(old ? checkChange(definition, old) : []),
    ...checkStored(definition),
  ]
}

const checkGroup = (group: string): FieldError[] => {
  if (!group) return [required('spec.group')]
  const problems = checkSubdomain(group).map(problem => invalid('spec.group', group, problem))
  return group.includes('.')
    ? problems
    : [...problems, invalid('spec.group', group, 'should be a domain with at least one dot')]
}

const checkScope = (scope: string): FieldError[] => {
  if (!scope) return [required('spec.scope')]
  return scope === 'Namespaced' || scope === 'Cluster'
    ? []
    : [unsupported('spec.scope', scope, ['Cluster', 'Namespaced'])]
}

const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const isLabel1035 = (value: string): boolean => /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(value) && value.length <= 63

/** If there is only one version, Kubernetes' messages omit it. */
const checkVersion = (
  version: DefinedVersion,
  index: number,
  isOnly: boolean,
  rules: RuleChecks,
  old: CustomResourceDefinition | undefined,
): FieldError[] => {
  const field = `spec.versions[${index}]`
  const place = isOnly ? 'spec' : field
  const schema = version.schema?.openAPIV3Schema as StructuralSchema | undefined
  const before = old?.spec.versions.find(({ name }) => name === version.name)
  const isUnchanged = before !== undefined && isSameJson(before.schema, version.schema)
  const schemaField = isOnly ? 'spec.validation.openAPIV3Schema' : `${field}.schema.openAPIV3Schema`
  return [
    ...(isLabel1035(version.name) ? [] : [invalid(`${field}.name`, version.name, label1035)]),
    ...(version.deprecationWarning && !version.deprecated
      ? [invalid(`${field}.deprecationWarning`, version.deprecationWarning, 'can only be set for deprecated versions')]
      : []),
    ...(schema
      ? checkStructural(schema, schemaField, rules, isUnchanged)
      : [required(`${field}.schema.openAPIV3Schema`)]),
    ...checkSubresources(version, place),
    ...checkColumns(version, place),
    ...checkSelectable(version, place),
  ]
}

const checkSubresources = ({ subresources }: DefinedVersion, place: string): FieldError[] => {
  const scale = subresources?.scale
  if (!scale) return []
  const field = `${place}.subresources.scale`
  const path = (name: 'specReplicasPath' | 'statusReplicasPath' | 'labelSelectorPath', root: string) => {
    const value = scale[name]
    if (!value) return name === 'labelSelectorPath' ? [] : [required(`${field}.${name}`)]
    if (!isSimplePath(value)) return [invalid(`${field}.${name}`, value, 'must be a simple json path starting with .')]
    return value.startsWith(root) ? [] : [invalid(`${field}.${name}`, value, `should be a json path under ${root}`)]
  }
  return [
    ...path('specReplicasPath', '.spec'),
    ...path('statusReplicasPath', '.status'),
    ...path('labelSelectorPath', '.s'),
  ]
}

const isSimplePath = (path: string): boolean => /^(\.[A-Za-z_][-\w]*)+$/.test(path)

const checkColumns = ({ additionalPrinterColumns = [] }: DefinedVersion, place: string): FieldError[] =>
  additionalPrinterColumns.flatMap(({ name = '', type = '', jsonPath = '' }, index) => {
    const field = `${place}.additionalPrinterColumns[${index}]`
    return [
      ...(name ? [] : [required(`${field}.name`)]),
      ...(type ? [] : [required(`${field}.type`, `must be one of ${columnTypes.join(',')}`)]),
      ...(!type || columnTypes.includes(type)
        ? []
        : [invalid(`${field}.type`, type, `must be one of ${columnTypes.join(',')}`)]),
      ...(jsonPath ? [] : [required(`${field}.JSONPath`)]),
      ...(!jsonPath || isReadable(jsonPath)
        ? []
        : [invalid(`${field}.JSONPath`, jsonPath, 'must be a simple json path starting with .')]),
    ]
  })

const isReadable = (jsonPath: string): boolean => {
  if (!jsonPath.startsWith('.')) return false
  try {
    parseJsonPath(jsonPath)
    return true
  } catch {
    return false
  }
}

const maxSelectableFields = 8

const checkSelectable = ({ selectableFields = [] }: DefinedVersion, place: string): FieldError[] => [
  ...(selectableFields.length > maxSelectableFields
    ? [invalid(`${place}.selectableFields`, selectableFields.length, `must have at most ${maxSelectableFields} items`)]
    : []),
  ...selectableFields.flatMap(({ jsonPath = '' }, index) => {
    const field = `${place}.selectableFields[${index}].jsonPath`
    if (!jsonPath) return [required(field)]
    return isSimplePath(jsonPath)
      ? []
      : [invalid(field, jsonPath, 'is an invalid path: must be a simple json path starting with .')]
  }),
]

const checkUniqueNames = (versions: readonly DefinedVersion[]): FieldError[] => {
  const seen = new Set<string>()
  return versions.flatMap(({ name }, index) => {
    if (seen.has(name)) return [duplicate(`spec.versions[${index}].name`, name)]
    seen.add(name)
    return []
  })
}

const checkNames = (names: DefinedNames | undefined): FieldError[] => {
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names ?? {}
  const word = (field: string, value: string) => {
    if (!value) return [required(`spec.names.${field}`)]
    return isLabel1035(value) ? [] : [invalid(`spec.names.${field}`, value, label1035)]
  }
  const title = (field: string, value: string) => {
    if (!value) return [required(`spec.names.${field}`)]
    return isLabel1035(value.toLowerCase())
      ? []
      : [invalid(`spec.names.${field}`, value, `may have mixed case, but should otherwise match: ${label1035}`)]
  }
  return [
    ...word('plural', plural),
    ...word('singular', singular),
    ...title('kind', kind),
    ...title('listKind', listKind),
    ...shortNames.flatMap((name, index) => word(`shortNames[${index}]`, name)),
    ...(kind && kind === listKind
      ? [invalid('spec.names.listKind', listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((name, index) => word(`categories[${index}]`, name)),
  ]
}

/** A conversion webhook would give others control over how the hub reads its own objects. */
const checkConversion = ({ spec: { conversion } }: CustomResourceDefinition): FieldError[] => {
  const strategy = conversion?.strategy
  if (!conversion || strategy === 'None')
    return conversion?.webhook
      ? [forbidden('spec.conversion.webhookClientConfig', 'should not be set when strategy is not set to Webhook')]
      : []
  if (!strategy) return [required('spec.conversion.strategy')]
  if (strategy !== 'Webhook') return [unsupported('spec.conversion.strategy', strategy, ['None', 'Webhook'])]
  return [
    invalid(
      'spec.conversion.strategy',
      strategy,
      'this hub calls no webhooks: serve versions that share their fields with the strategy None',
    ),
  ]
}

const checkChange = (definition: CustomResourceDefinition, old: CustomResourceDefinition): FieldError[] => {
  const isEstablished = old.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')
  if (!isEstablished) return []
  const kept = (field: string, value: string | undefined, before: string | undefined) =>
    value === before ? [] : [invalid(field, value ?? '', 'field is immutable')]
  return [
    ...kept('spec.scope', definition.spec.scope, old.spec.scope),
    ...kept('spec.names.kind', definition.spec.names?.kind, old.spec.names.kind),
    ...kept('spec.group', definition.spec.group, old.spec.group),
    ...kept('spec.names.plural', definition.spec.names?.plural, old.spec.names.plural),
  ]
}

const checkStored = ({ spec, status }: CustomResourceDefinition): FieldError[] => {
  const versions = spec.versions ?? []
  const field = 'status.storedVersions'
  const stored = status?.storedVersions ?? []
  if (stored.length === 0) return [invalid(field, null, 'must have at least one stored version')]
  const storage = versions.find(version => version.storage)?.name
  return [
    ...stored.flatMap((name, index) =>
      versions.some(version => version.name === name)
        ? []
        : [
            invalid(
              `${field}[${index}]`,
              name,
              `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
            ),
          ],
    ),
    ...(storage && !stored.includes(storage)
      ? [invalid(field, stored, `must have the storage version ${storage}`)]
      : []),
  ]
}
