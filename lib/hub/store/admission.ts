/** Prepares an object from a request for the store: decoded, completed and checked. Pure. */
import type { ServedKind } from '../../foundations/kinds/all.ts'
import { wholeSchemaOf } from '../../foundations/kinds/metadata.ts'
import type { KubernetesObject, ObjectMeta } from '../../foundations/kinds/object.ts'
import { DecodeError, decode } from '../../foundations/kinds/schema/decode.ts'
import { withDefaults } from '../../foundations/kinds/schema/defaults.ts'
import type { FieldError } from '../../foundations/kinds/schema/field-error.ts'
import { strictDecodingError, unknownFieldWarnings } from '../../foundations/kinds/schema/prune.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { validateChange, validateNew } from '../../foundations/kinds/schema/validate.ts'
import { finalizerWarnings } from '../../foundations/kinds/schema/validate-metadata.ts'
import { badRequest, invalid } from './api-errors.ts'
import type { WriteOptions } from './hub.ts'
import { asJson } from './json.ts'
import { strategyOf } from './strategies.ts'
import { checkRules } from './validation-rules.ts'

/**
 * Decodes an object: drops unknown fields, fills in defaults, and normalizes it for storage. Fails with BadRequest if it can't be decoded as
 * its kind or, with Strict validation, if fields are unknown.
 */
export const decoded = (
  served: ServedKind,
  given: KubernetesObject,
  { fieldValidation, onWarning, subresource }: Pick<WriteOptions, 'fieldValidation' | 'onWarning' | 'subresource'>,
): KubernetesObject => {
  const { kind, version } = served
  const { object, unknown } = decodedOrRefused(served, asJson(subresource ? writtenPart(given, subresource) : given))
  if (unknown.length > 0 && fieldValidation === 'Strict')
    throw badRequest(new DecodeError(kind, version, strictDecodingError(unknown)).message)
  if (unknown.length > 0 && fieldValidation !== 'Ignore')
    for (const warning of unknownFieldWarnings(unknown)) onWarning?.(warning)
  return strategyOf(kind).normalize?.(object) ?? object
}

/** The part of the object that a write through a subresource changes. */
const writtenPart = (object: KubernetesObject, subresource: Subresource): KubernetesObject => {
  const { apiVersion, kind, metadata } = object
  const part = partOf(subresource)
  return { apiVersion, kind, metadata, ...(object[part] !== undefined && { [part]: object[part] }) }
}

type Subresource = NonNullable<WriteOptions['subresource']>

const partOf = (subresource: Subresource): 'status' | 'spec' => (subresource === 'status' ? 'status' : 'spec')

const decodedOrRefused = (served: ServedKind, given: KubernetesObject) => {
  try {
    return decode(served, given)
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message)
    throw error
  }
}

// ---- creation ----

/** What the server sets on a new object. `now` is RFC 3339. */
export interface SystemMetadata {
  readonly uid: string
  readonly now: string
}

/**
 * A new decoded object with only the fields that its author may set: without system fields and, if status is a subresource, with the default
 * status instead of its own (as Kubernetes fills it in when it reads the object).
 */
export const asAuthored = (
  { version }: ServedKind,
  object: KubernetesObject,
  { uid, now }: SystemMetadata,
): KubernetesObject => {
  const { status, ...rest } = object
  const { resourceVersion, generation, deletionTimestamp, deletionGracePeriodSeconds, selfLink, ...metadata } =
    object.metadata as ObjectMeta & { selfLink?: string }
  return withDefaults(wholeSchemaOf(version), {
    ...(rest as KubernetesObject),
    ...(status !== undefined && !version.status && { status }),
    metadata: { ...metadata, uid, creationTimestamp: now },
  })
}

/** Converts an authored object to its stored form. Fails with Invalid and all errors. */
export const asCreated = (
  served: ServedKind,
  object: KubernetesObject,
  { onWarning }: Pick<WriteOptions, 'onWarning'>,
): KubernetesObject => {
  const { kind } = served
  const withGeneration = kind.hasGeneration ? { ...object, metadata: { ...object.metadata, generation: 1 } } : object
  const created = strategyOf(kind).prepare?.(withGeneration) ?? withGeneration
  requireValid(served, created, [
    ...validateNew(served, created, checkRules),
    ...(strategyOf(kind).check?.(created) ?? []),
  ])
  if (!kind.native) for (const warning of finalizerWarnings(created.metadata)) onWarning?.(warning)
  return created
}

// ---- change ----

/** An update of a decoded object, in which everything that this write can't change is as before. */
export const asRevised = (
  { version }: ServedKind,
  object: KubernetesObject,
  old: KubernetesObject,
  subresource: WriteOptions['subresource'],
): KubernetesObject => {
  if (subresource) return withPart(old, object, partOf(subresource))
  const { status, ...rest } = object
  const kept = version.status ? old.status : status
  return {
    ...(rest as KubernetesObject),
    ...(kept !== undefined && { status: kept }),
    metadata: revisedMetadata(object.metadata, old.metadata),
  }
}

/** Takes only the subresource's part, and its manager. */
const withPart = (old: KubernetesObject, object: KubernetesObject, part: 'status' | 'spec'): KubernetesObject => {
  const { [part]: _, ...rest } = old
  const { managedFields } = object.metadata
  return {
    ...(rest as KubernetesObject),
    ...(object[part] !== undefined && { [part]: object[part] }),
    metadata: asJson({ ...old.metadata, managedFields }),
  }
}

const revisedMetadata = (metadata: ObjectMeta, old: ObjectMeta): ObjectMeta => {
  const { selfLink, ...revised } = metadata as ObjectMeta & { selfLink?: string }
  return asJson({
    ...revised,
    name: metadata.name || old.name,
    namespace: metadata.namespace || old.namespace,
    uid: metadata.uid || old.uid,
    resourceVersion: old.resourceVersion,
    generation: old.generation,
    creationTimestamp: old.creationTimestamp,
    deletionTimestamp: old.deletionTimestamp,
    deletionGracePeriodSeconds: old.deletionGracePeriodSeconds,
  })
}

/** Converts a revised object to its stored form. Fails with Invalid and all errors. */
export const asUpdated = (
  served: ServedKind,
  revised: KubernetesObject,
  old: KubernetesObject,
  { subresource, onWarning }: Pick<WriteOptions, 'subresource' | 'onWarning'>,
): KubernetesObject => {
  const { kind } = served
  const prepared = strategyOf(kind).prepare?.(revised, old, subresource) ?? revised
  const isDesire = kind.hasGeneration && subresource !== 'status' && !isSameContent(prepared, old)
  const updated = isDesire
    ? { ...prepared, metadata: { ...prepared.metadata, generation: (old.metadata.generation ?? 0) + 1 } }
    : prepared
  requireValid(served, updated, [
    ...validateChange(served, updated, old, subresource, checkRules),
    ...(strategyOf(kind).check?.(updated, old) ?? []),
  ])
  if (!kind.native) for (const warning of finalizerWarnings(updated.metadata, old.metadata)) onWarning?.(warning)
  return updated
}

/** Everything except metadata is desired state (status was reset if it is a subresource). */
const isSameContent = (object: KubernetesObject, old: KubernetesObject): boolean =>
  isSameJson({ ...object, metadata: undefined }, { ...old, metadata: undefined })

const requireValid = ({ kind }: ServedKind, { metadata }: KubernetesObject, errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw invalid(kind, metadata.name, errors)
}
