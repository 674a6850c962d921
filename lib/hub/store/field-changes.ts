/** Applies the field ownership engine to the hub's writes: the result of each kind of write, with managedFields. */

import { NotApplicable } from '../../engines/merge/applicable.ts'
import { apply } from '../../engines/merge/apply.ts'
import { ApplyConflict } from '../../engines/merge/conflict.ts'
import { countFields, countOwned, countValues } from '../../engines/merge/count-fields.ts'
import { setOf, union } from '../../engines/merge/field-set.ts'
import { JsonPatchError, jsonPatch } from '../../engines/merge/json-patch.ts'
import { mergePatch } from '../../engines/merge/merge-patch.ts'
import { DuplicateItem } from '../../engines/merge/merge-values.ts'
import type { Writing } from '../../engines/merge/ownership.ts'
import { resetFields } from '../../engines/merge/ownership.ts'
import { UnidentifiedItem } from '../../engines/merge/parts.ts'
import { StrategicPatchError, strategicMergePatch } from '../../engines/merge/strategic-merge-patch.ts'
import { trackUpdate } from '../../engines/merge/track-update.ts'
import { apiVersionOf, type ServedKind } from '../../foundations/kinds/all.ts'
import { wholeSchemaOf } from '../../foundations/kinds/metadata.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { badRequest } from './api-errors.ts'
import type { Patch, PatchOptions, WriteOptions } from './hub.ts'
import { ApiError } from './hub.ts'
import { strategyOf } from './strategies.ts'

/** Time and limit of a write. */
export interface WriteContext {
  /** RFC 3339. */
  readonly now: string
  /** Maximum number of fields in an object, and in its managedFields. */
  readonly maxFields: number
}

/** Atomic lists may have more values than an object may have fields. */
const valuesPerField = 5

/**
 * Time and memory of a write depend on the number of values, and more on the number of fields that can have owners; a request of 3 MiB may
 * have 200,000. Fails with RequestEntityTooLarge, as for a request with too many bytes.
 */
const requireFewFields = ({ version }: ServedKind, object: KubernetesObject, max: number): void => {
  const { managedFields, ...metadata } = object.metadata ?? {}
  // Nothing is validated yet: a patch may have put anything here.
  const entries: readonly { readonly fieldsV1?: unknown }[] = Array.isArray(managedFields) ? managedFields : []
  const owned = entries.reduce((sum, entry) => sum + countOwned(entry?.fieldsV1, max), 0)
  if (owned <= max && countFields(wholeSchemaOf(version), { ...object, metadata }, max) <= max) {
    const maxValues = valuesPerField * max
    if (countValues(object, maxValues) <= maxValues) return
    throw requestTooLarge(`the object has more than ${maxValues} values`, max)
  }
  const what = owned > max ? 'metadata.managedFields names' : 'the object has'
  throw requestTooLarge(`${what} more than ${max} fields`, max)
}

const requestTooLarge = (why: string, max: number): ApiError =>
  new ApiError(
    413,
    'RequestEntityTooLarge',
    `Request entity too large: ${why}; the limit is --max-object-fields=${max}`,
  )

/** Enforces the limit on fields before and after a write. */
const withFewFields = (
  served: ServedKind,
  incoming: KubernetesObject,
  { maxFields }: WriteContext,
  write: () => KubernetesObject,
): KubernetesObject => {
  requireFewFields(served, incoming, maxFields)
  const written = write()
  requireFewFields(served, written, maxFields)
  return written
}

const writingOf = (served: ServedKind, { fieldManager, subresource }: WriteOptions, now: string): Writing => {
  const { kind, version } = served
  return {
    schema: wholeSchemaOf(version),
    apiVersions: kind.versions.map(other => apiVersionOf(kind, other)),
    apiVersion: apiVersionOf(kind, version),
    manager: fieldManager,
    ...(subresource && { subresource }),
    ignored: ignoredFields(served, subresource),
    ...(kind.always && { blank: kind.always }),
    now,
  }
}

/** The fields that this write can't change, and therefore never owns. */
const ignoredFields = ({ kind, version }: ServedKind, subresource: WriteOptions['subresource']) => {
  const reset = resetFields(version.status === true, subresource)
  const { serverFields } = strategyOf(kind)
  if (subresource || !serverFields) return reset
  const server = setOf(...serverFields.map(name => [name]))
  return reset ? union(reset, server) : server
}

/** The object after a create, replace or patch, with the changed fields owned by its writer. */
export const trackedUpdate = (
  served: ServedKind,
  old: KubernetesObject | undefined,
  object: KubernetesObject,
  options: WriteOptions,
  context: WriteContext,
): KubernetesObject => {
  try {
    return withFewFields(served, object, context, () =>
      trackUpdate(old, object, writingOf(served, options, context.now)),
    )
  } catch (error) {
    // Items that can't be identified can't be owned: validation reports them.
    if (error instanceof UnidentifiedItem || error instanceof DuplicateItem) return object
    throw error
  }
}

/** The result of a JSON, merge or strategic merge patch. Fails with BadRequest or Invalid if it does not apply. */
export const patched = (
  served: ServedKind,
  old: KubernetesObject,
  change: Exclude<Patch, { type: 'apply' }>,
): KubernetesObject => {
  try {
    return mergedWith(served, old, change) as KubernetesObject
  } catch (error) {
    if (error instanceof StrategicPatchError) throw badRequest(error.message)
    if (error instanceof JsonPatchError) throw jsonPatchRefusal(error)
    throw error
  }
}

const mergedWith = (
  { version }: ServedKind,
  old: KubernetesObject,
  change: Exclude<Patch, { type: 'apply' }>,
): unknown => {
  if (change.type === 'json') return jsonPatch(old, change.operations)
  if (change.type === 'merge') return mergePatch(old, change.patch)
  return strategicMergePatch(wholeSchemaOf(version), old, change.patch as Readonly<Record<string, unknown>>)
}

const jsonPatchRefusal = ({ code, message }: JsonPatchError): ApiError => {
  if (code === 'malformed') return badRequest(message)
  if (code === 'tooLarge') return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`)
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {
    causes: [{ reason: 'FieldValueInvalid', message }],
  })
}

/** The result of server-side apply to an object, or to none. Fails with Conflict if others own fields that it would change. */
export const appliedTo = (
  served: ServedKind,
  old: KubernetesObject | undefined,
  applied: KubernetesObject,
  options: PatchOptions,
  context: WriteContext,
): KubernetesObject => {
  if (applied.metadata?.managedFields) throw badRequest('metadata.managedFields must be nil')
  try {
    return withFewFields(served, applied, context, () =>
      apply(old, applied, { ...writingOf(served, options, context.now), force: options.force === true }),
    )
  } catch (error) {
    if (error instanceof ApplyConflict) throw new ApiError(409, 'Conflict', error.message, { causes: error.causes })
    if (error instanceof NotApplicable) throw notTyped(applied, error)
    throw error
  }
}

/** Kubernetes responds with 500 and no reason. */
const notTyped = ({ apiVersion, kind, metadata }: KubernetesObject, { message }: NotApplicable): ApiError => {
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
  const object = `${metadata.namespace ?? ''}/${metadata.name}; ${groupVersion}, Kind=${kind}`
  return new ApiError(500, '', `failed to create typed patch object (${object}): ${message}`)
}
