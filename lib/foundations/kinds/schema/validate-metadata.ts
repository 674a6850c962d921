import { quote } from '../../go/quote.ts'
/** Validates metadata (names, labels, annotations, finalizers, owners...), with Kubernetes' messages. */

import type { Kind } from '../kind.ts'
import { checkLabel, checkLabelValue, checkPathSegment, checkQualifiedName, checkSubdomain } from '../names.ts'
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../object.ts'
import { versionOf } from '../object.ts'
import type { FieldError } from './field-error.ts'
import { forbidden, invalid, required, tooLong } from './field-error.ts'

const annotationBytes = 256 * 1024

/** For a new object. `generateName` must already be resolved to a name. */
export const validateNewMetadata = (kind: Kind, metadata: ObjectMeta): FieldError[] => [
  ...checkNames(kind, metadata),
  ...checkCommon(metadata),
  ...checkFinalizers(metadata.finalizers ?? []),
]

/** For an update. */
export const validateMetadataUpdate = (metadata: ObjectMeta, old: ObjectMeta): FieldError[] => [
  ...(old.deletionTimestamp ? checkNoNewFinalizers(metadata, old) : []),
  ...(metadata.resourceVersion
    ? []
    : [invalid('metadata.resourceVersion', metadata.resourceVersion ?? 0, 'must be specified for an update')]),
  ...checkUnchanged(metadata, old),
  ...checkCommon(metadata),
  ...checkFinalizers(metadata.finalizers ?? []),
]

const nameChecks = { label: checkLabel, pathSegment: checkPathSegment } as const

const checkNames = (kind: Kind, { name, namespace, generateName }: ObjectMeta): FieldError[] => {
  const checkName = kind.names ? nameChecks[kind.names] : checkSubdomain
  const errors: FieldError[] = []
  if (generateName)
    for (const problem of checkName(generateName, true))
      errors.push(invalid('metadata.generateName', generateName, problem))
  if (!name) errors.push(required('metadata.name', 'name or generateName is required'))
  else for (const problem of checkName(name)) errors.push(invalid('metadata.name', name, problem))
  if (!kind.namespaced && namespace) errors.push(forbidden('metadata.namespace', 'not allowed on this type'))
  if (kind.namespaced && !namespace) errors.push(required('metadata.namespace'))
  else if (kind.namespaced)
    for (const problem of checkLabel(namespace!)) errors.push(invalid('metadata.namespace', namespace, problem))
  return errors
}

const checkCommon = (metadata: ObjectMeta): FieldError[] => [
  ...checkLabels(metadata.labels ?? {}),
  ...checkAnnotations(metadata.annotations ?? {}),
  ...checkOwners(metadata.ownerReferences ?? []),
  ...(metadata.managedFields ?? []).flatMap(checkManagedFields),
]

const checkLabels = (labels: Readonly<Record<string, string>>): FieldError[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...checkQualifiedName(key).map(problem => invalid('metadata.labels', key, problem)),
    ...checkLabelValue(value).map(problem => invalid('metadata.labels', value, problem)),
  ])

const checkAnnotations = (annotations: Readonly<Record<string, string>>): FieldError[] => {
  const errors = Object.keys(annotations).flatMap(key =>
    checkQualifiedName(key.toLowerCase()).map(problem => invalid('metadata.annotations', key, problem)),
  )
  let size = 0
  for (const [key, value] of Object.entries(annotations)) size += Buffer.byteLength(key) + Buffer.byteLength(value)
  return size > annotationBytes ? [...errors, tooLong('metadata.annotations', annotationBytes)] : errors
}

const checkOwners = (owners: readonly OwnerReference[]): FieldError[] => {
  const field = 'metadata.ownerReferences'
  const errors: FieldError[] = []
  let controller: string | undefined
  for (const owner of owners) {
    if (!versionOf(owner.apiVersion ?? ''))
      errors.push(invalid(`${field}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty'))
    for (const part of ['kind', 'name', 'uid'] as const)
      if (!owner[part]) errors.push(invalid(`${field}.${part}`, '', 'must not be empty'))
    if (owner.apiVersion === 'v1' && owner.kind === 'Event')
      errors.push(invalid(field, ordered(owner), '/v1, Kind=Event is disallowed from being an owner'))
    if (!owner.controller) continue
    const name = `${owner.kind}/${owner.name}`
    if (controller)
      errors.push(
        invalid(
          field,
          owners.map(ordered),
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
        ),
      )
    controller ??= name
  }
  return errors
}

/** Fields in Kubernetes' order. */
const ordered = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
  ...(controller !== undefined && { controller }),
  ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
})

const checkFinalizers = (finalizers: readonly string[]): FieldError[] => {
  const field = 'metadata.finalizers'
  const errors = finalizers.flatMap(finalizer =>
    checkQualifiedName(finalizer).map(problem => invalid(field, finalizer, problem)),
  )
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(invalid(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'))
  return errors
}

/** Kubernetes' own kinds accept only finalizers with a domain, besides its own. */
export const checkFinalizerDomains = ({ finalizers = [] }: ObjectMeta): FieldError[] =>
  finalizers.flatMap((finalizer, index) =>
    finalizer.includes('/') || standardFinalizers.has(finalizer)
      ? []
      : [
          invalid(
            `metadata.finalizers[${index}]`,
            finalizer,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  )

const standardFinalizers: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

const checkNoNewFinalizers = ({ finalizers = [] }: ObjectMeta, old: ObjectMeta): FieldError[] => {
  const added = [...new Set(finalizers)].filter(finalizer => !old.finalizers?.includes(finalizer)).sort()
  if (added.length === 0) return []
  const found = `[]string{${added.map(quote).join(', ')}}`
  return [
    forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`,
    ),
  ]
}

const immutable = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const

const checkUnchanged = (metadata: ObjectMeta, old: ObjectMeta): FieldError[] =>
  immutable
    .filter(field => (metadata[field] ?? '') !== (old[field] ?? ''))
    .map(field => invalid(`metadata.${field}`, metadata[field] ?? null, 'field is immutable'))

const checkManagedFields = (entry: ManagedFieldsEntry, index: number): FieldError[] => {
  const field = `metadata.managedFields[${index}]`
  const errors: FieldError[] = []
  if (entry.operation !== 'Apply' && entry.operation !== 'Update')
    errors.push(invalid(`${field}.operation`, entry.operation ?? '', 'must be `Apply` or `Update`'))
  if (entry.fieldsType && entry.fieldsType !== 'FieldsV1')
    errors.push(invalid(`${field}.fieldsType`, entry.fieldsType, 'must be `FieldsV1`'))
  errors.push(...checkFieldManager(entry.manager ?? '', `${field}.manager`))
  if (Buffer.byteLength(entry.subresource ?? '') > 256) errors.push(tooLong(`${field}.subresource`, 256))
  return errors
}

/** The name of a field manager, including `fieldManager` of a request. */
export const checkFieldManager = (manager: string, field = 'fieldManager'): FieldError[] => {
  const errors: FieldError[] = []
  if (Buffer.byteLength(manager) > 128) errors.push(tooLong(field, 128))
  if (/^[ -~]*$/.test(manager)) return errors
  let position = 0
  for (const character of manager) {
    if (/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(character)) {
      const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
      errors.push(invalid(field, manager, `invalid character U+${code} (at position ${position})`))
    }
    position += Buffer.byteLength(character)
  }
  return errors
}

/** Kubernetes' warnings for finalizers added to objects of user-defined kinds. */
export const finalizerWarnings = (metadata: ObjectMeta, old?: ObjectMeta): string[] => {
  const known = new Set(old?.finalizers)
  return (metadata.finalizers ?? [])
    .filter(finalizer => !known.has(finalizer))
    .sort()
    .filter(finalizer => !finalizer.includes('/') && !standardFinalizers.has(finalizer))
    .map(finalizer => {
      const how = finalizer.includes('.') ? 'finalizer name including a path (/)' : 'finalizer name'
      return `metadata.finalizers: ${quote(finalizer)}: prefer a domain-qualified ${how} to avoid accidental conflicts with other finalizer writers`
    })
}
