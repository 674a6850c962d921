/** A kind from its CustomResourceDefinition. Pure. */
import type { CustomResourceDefinition, DefinedVersion } from './custom-resource-definition.ts'
import { schemaOf } from './custom-resource-definition.ts'
import type { Kind, KindVersion, PathColumn, PrinterColumn } from './kind.ts'
import { metadataSchema } from './metadata.ts'
import type { StructuralSchema } from './schema/schema.ts'

/**
 * The kind that a definition adds to the hub. `definition` is validated: nothing is checked here. Versions come in
 * Kubernetes' order of priority (v1 before v1beta1), the preferred one first.
 */
export const definedKind = (definition: CustomResourceDefinition): Kind => {
  const { group, names, scope, versions } = definition.spec
  return {
    group,
    kind: names.kind,
    listKind: names.listKind,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === 'Namespaced',
    hasGeneration: true,
    isUserDefined: true,
    ...(definition.metadata.deletionTimestamp && { terminating: true }),
    versions: versions.map(version => definedVersion(definition, version)).sort(byPriority),
  }
}

const definedVersion = (definition: CustomResourceDefinition, version: DefinedVersion): KindVersion => {
  const { name, storage, served, deprecated, deprecationWarning, subresources, selectableFields } = version
  const warning = deprecationWarning || defaultWarning(definition, name)
  return {
    name,
    storage,
    ...(!served && { served: false }),
    ...(deprecated && { deprecated: warning }),
    schema: contentSchema(schemaOf(version)),
    columns: columnsOf(version),
    ...(subresources?.status && { status: true }),
    ...(subresources?.scale && { scale: subresources.scale }),
    ...(selectableFields && { selectable: selectableFields.map(({ jsonPath }) => jsonPath) }),
  }
}

/** Kubernetes' default warning, which names the first better version. */
const defaultWarning = ({ spec: { group, names, versions } }: CustomResourceDefinition, name: string): string => {
  const better = versions.find(other => other.served && !other.deprecated && byPriority(other, { name }) < 0)
  const advice = better ? `; use ${group}/${better.name} ${names.kind}` : ''
  return `${group}/${name} ${names.kind} is deprecated${advice}`
}

const columnsOf = ({ additionalPrinterColumns = [] }: DefinedVersion): readonly PrinterColumn[] =>
  additionalPrinterColumns as readonly PathColumn[]

/** Without the fields that every object has; embedded objects get theirs. */
const contentSchema = (schema: StructuralSchema): StructuralSchema => {
  const { apiVersion, kind, metadata, ...properties } = schema.properties ?? {}
  return withEmbedded({ ...schema, properties })
}

const embedded: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: { type: 'string', minLength: 1 },
  kind: { type: 'string', minLength: 1 },
  metadata: metadataSchema,
}

const withEmbedded = (schema: StructuralSchema): StructuralSchema => {
  const { properties, additionalProperties, items } = schema
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  const inner =
    properties && Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, withEmbedded(part)]))
  return {
    ...schema,
    ...((inner || isEmbedded) && { properties: { ...inner, ...(isEmbedded && embedded) } }),
    ...(isEmbedded && { required: [...new Set([...(schema.required ?? []), 'apiVersion', 'kind'])] }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: withEmbedded(additionalProperties) }),
    ...(items && { items: withEmbedded(items) }),
  }
}

/** Stable versions first, then beta, then alpha, the highest number first; then others by name. */
const byPriority = (a: Pick<KindVersion, 'name'>, b: Pick<KindVersion, 'name'>): number => {
  const [x, y] = [priorityOf(a.name), priorityOf(b.name)]
  for (const [index, value] of x.entries()) if (value !== y[index]) return y[index]! - value
  return a.name < b.name ? -1 : 1
}

const priorityOf = (name: string): readonly number[] => {
  const parts = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name)
  if (!parts) return [0, 0, 0]
  const [, major, stage, minor] = parts
  return [stage === undefined ? 3 : stage === 'beta' ? 2 : 1, Number(major), Number(minor ?? 0)]
}
