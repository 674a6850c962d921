/** What becomes of an object between a request and the store: decoded, defaulted, completed and checked. Pure. */
import type { ServedKind } from '../kinds/all.ts'
import { withDefaults } from '../kinds/defaults.ts'
import type { FieldError } from '../kinds/field-error.ts'
import type { KindVersion } from '../kinds/kind.ts'
import { wholeSchema } from '../kinds/metadata.ts'
import type { KubernetesObject, ObjectMeta } from '../kinds/object.ts'
import { prune, strictDecodingError, unknownFieldWarnings } from '../kinds/prune.ts'
import type { StructuralSchema } from '../kinds/schema.ts'
import {
  checkMetadataTypes,
  finalizerWarnings,
  validateMetadataUpdate,
  validateNewMetadata,
} from '../kinds/validate-metadata.ts'
import { validateSchema } from '../kinds/validate-schema.ts'
import { badRequest, conflict, invalid } from './api-errors.ts'
import type { WriteOptions } from './hub.ts'
import { asJson, isSameJson } from './json.ts'
import { strategyOf } from './strategies.ts'

type Decoding = Pick<WriteOptions, 'fieldValidation' | 'onWarning'>

/** The schema of whole objects of a version, made once. */
const schemas = new WeakMap<KindVersion, StructuralSchema>()

export const wholeSchemaOf = (version: KindVersion): StructuralSchema => {
  const known = schemas.get(version)
  if (known) return known
  const schema = wholeSchema(version.schema)
  schemas.set(version, schema)
  return schema
}

/**
 * An object as it came, without unknown fields, with defaults, and in the shape that is stored. Fails with BadRequest when
 * metadata is malformed or, with Strict validation, when fields are unknown.
 */
export const decoded = (served: ServedKind, given: KubernetesObject, options: Decoding): KubernetesObject => {
  const { kind, version } = served
  const object = asJson(given)
  requireMetadataTypes(served, object)
  const schema = wholeSchemaOf(version)
  const { value, unknown } = prune(schema, object)
  if (unknown.length > 0 && options.fieldValidation === 'Strict')
    throw undecodable(served, strictDecodingError(unknown))
  if (unknown.length > 0 && options.fieldValidation !== 'Ignore') unknownFieldWarnings(unknown).forEach(warn(options))
  const complete = withTidyMetadata(withDefaults(schema, value))
  return strategyOf(kind).normalize?.(complete) ?? complete
}

/** As Kubernetes encodes metadata: empty lists and maps are left out. */
const withTidyMetadata = (object: KubernetesObject): KubernetesObject => {
  const entries = Object.entries(object.metadata)
  const filled = entries.filter(([name, value]) => name === 'managedFields' || !isEmptyCollection(value))
  return filled.length === entries.length
    ? object
    : { ...object, metadata: Object.fromEntries(filled) as unknown as ObjectMeta }
}

const isEmptyCollection = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

const requireMetadataTypes = (served: ServedKind, object: KubernetesObject): void => {
  const [problem] = checkMetadataTypes(object)
  if (problem) throw undecodable(served, `${problem.field}: ${problem.message}`)
}

const undecodable = ({ kind, version }: ServedKind, why: string) =>
  badRequest(`${kind.kind} in version "${version.name}" cannot be handled as a ${kind.kind}: ${why}`)

const warn =
  ({ onWarning }: Decoding) =>
  (warning: string): void =>
    onWarning?.(warning)

// ---- creation ----

/** What the server decides of a new object. `now` is RFC 3339. */
export interface Birth {
  readonly uid: string
  readonly now: string
}

/** A new object, decoded, as its author may set it: without status, where that is a subresource, and system fields. */
export const asAuthored = (
  { version }: ServedKind,
  object: KubernetesObject,
  { uid, now }: Birth,
): KubernetesObject => {
  const { status, ...rest } = object
  const { resourceVersion, generation, deletionTimestamp, deletionGracePeriodSeconds, selfLink, ...metadata } =
    object.metadata as ObjectMeta & { selfLink?: string }
  return {
    ...(rest as KubernetesObject),
    ...(status !== undefined && !version.status && { status }),
    metadata: { ...metadata, uid, creationTimestamp: now },
  }
}

/** An authored object as it is stored. Fails with Invalid, naming all that is wrong. */
export const asCreated = (served: ServedKind, object: KubernetesObject, options: Decoding): KubernetesObject => {
  const { kind, version } = served
  const withGeneration = kind.hasGeneration ? { ...object, metadata: { ...object.metadata, generation: 1 } } : object
  const created = strategyOf(kind).prepare?.(withGeneration) ?? withGeneration
  requireValid(served, created, [
    ...validateSchema(version.schema, contentOf(created)),
    ...validateNewMetadata(kind, created.metadata),
  ])
  if (isCustom(kind.group)) finalizerWarnings(created.metadata).forEach(warn(options))
  return created
}

// ---- change ----

/** A change to an object, decoded, with everything that this way of writing cannot change as it was. */
export const asRevised = (
  { kind, version }: ServedKind,
  object: KubernetesObject,
  old: KubernetesObject,
  subresource: WriteOptions['subresource'],
): KubernetesObject => {
  if (subresource) return withPart(old, object, subresource === 'status' ? 'status' : 'spec')
  const { status, ...rest } = object
  const kept = version.status ? old.status : status
  const { uid } = object.metadata
  if (uid && uid !== old.metadata.uid)
    throw conflict(
      kind,
      old.metadata.name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
    )
  return {
    ...(rest as KubernetesObject),
    ...(kept !== undefined && { status: kept }),
    metadata: revisedMetadata(object.metadata, old.metadata),
  }
}

/** Of a subresource only its own part is taken, and who set it. */
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
    uid: old.uid,
    resourceVersion: old.resourceVersion,
    generation: old.generation,
    creationTimestamp: old.creationTimestamp,
    deletionTimestamp: old.deletionTimestamp,
    deletionGracePeriodSeconds: old.deletionGracePeriodSeconds,
  })
}

/** A revised object as it is stored. Fails with Invalid, naming all that is wrong. */
export const asUpdated = (
  served: ServedKind,
  revised: KubernetesObject,
  old: KubernetesObject,
  options: Pick<WriteOptions, 'subresource' | 'onWarning'>,
): KubernetesObject => {
  const { kind, version } = served
  const strategy = strategyOf(kind)
  const prepared = strategy.prepare?.(revised, old, options.subresource) ?? revised
  const isDesire = kind.hasGeneration && options.subresource !== 'status' && !isSameContent(prepared, old)
  const updated = isDesire
    ? { ...prepared, metadata: { ...prepared.metadata, generation: (old.metadata.generation ?? 0) + 1 } }
    : prepared
  requireValid(served, updated, [
    ...validateSchema(version.schema, contentOf(updated)),
    ...validateMetadataUpdate(updated.metadata, old.metadata),
    ...(strategy.checkUpdate?.(updated, old) ?? []),
  ])
  if (isCustom(kind.group)) finalizerWarnings(updated.metadata, old.metadata).forEach(warn(options))
  return updated
}

/** Everything but the metadata is desire (status, where it is a subresource, has been kept as it was). */
const isSameContent = (object: KubernetesObject, old: KubernetesObject): boolean =>
  isSameJson(contentOf(object), contentOf(old))

const contentOf = ({ apiVersion, kind, metadata, ...content }: KubernetesObject) => content

const requireValid = ({ kind }: ServedKind, { metadata }: KubernetesObject, errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw invalid(kind, metadata.name, errors)
}

/** User-defined kinds, and Flux's: those that a cluster has through CustomResourceDefinitions. */
export const isCustom = (group: string): boolean => group.includes('.') && !group.endsWith('.k8s.io')
