/** How the hub uses the engine of field ownership: what each way of writing makes of an object, with managedFields. */

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

/** When something is written, and within which limit. */
export interface WriteContext {
  /** RFC 3339. */
  readonly now: string
  /** The most fields that an object may have, and that its managedFields may name. */
  readonly maxFields: number
}

/** Lists that have one owner as a whole may be longer than an object may have fields. */
const valuesPerField = 5

/**
 * Time and memory of a write follow the number of values, and more so of fields that can have owners, of which a request of 3 MiB may bring
 * 200,000. Fails with RequestEntityTooLarge, as for a request that is too large in bytes.
 */
const requireFewFields = ({ version }: ServedKind, object: KubernetesObject, most: number): void => {
  const { managedFields, ...metadata } = object.metadata ?? {}
  // Nothing is validated yet: a patch may have made anything of them.
  const entries: readonly { readonly fieldsV1?: unknown }[] = Array.isArray(managedFields) ? managedFields : []
  const owned = entries.reduce((sum, entry) => sum + countOwned(entry?.fieldsV1, most), 0)
  if (owned <= most && countFields(wholeSchemaOf(version), { ...object, metadata }, most) <= most) {
    const maxValues = valuesPerField * most
    if (countValues(object, maxValues) <= maxValues) return
    throw requestTooLarge(`the object has more than ${maxValues} values`, most)
  }
  const what = owned > most ? 'metadata.managedFields names' : 'the object has'
  throw requestTooLarge(`${what} more than ${most} fields`, most)
}

const requestTooLarge = (why: string, most: number): ApiError =>
  new ApiError(
    413,
    'RequestEntityTooLarge',
    `Request entity too large: ${why}; the limit is --max-object-fields=${most}`,
  )

/** A write within the limit on fields: of what came in, and of what came out. */
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

/** What this way of writing cannot change, and so nobody comes to own by it. */
const ignoredFields = ({ kind, version }: ServedKind, subresource: WriteOptions['subresource']) => {
  const reset = resetFields(version.status === true, subresource)
  const { serverFields } = strategyOf(kind)
  if (subresource || !serverFields) return reset
  const server = setOf(...serverFields.map(name => [name]))
  return reset ? union(reset, server) : server
}

/** A created, replaced or patched object with the fields that changed recorded as its writer's. */
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
    // Items that can't be told apart can't be owned: validation has the words for what is wrong with them.
    if (error instanceof UnidentifiedItem || error instanceof DuplicateItem) return object
    throw error
  }
}

/** What a JSON, merge or strategic patch makes of an object. Fails with BadRequest or Invalid when it does not apply. */
export const patched = (
  served: ServedKind,
  old: KubernetesObject,
  change: Exclude<Patch, { type: 'apply' }>,
): KubernetesObject => {
  try {
    return laidOver(served, old, change) as KubernetesObject
  } catch (error) {
    if (error instanceof StrategicPatchError) throw badRequest(error.message)
    if (error instanceof JsonPatchError) throw jsonPatchRefusal(error)
    throw error
  }
}

const laidOver = (
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

/** What server-side apply makes of an object, or of none. Fails with Conflict where others own what it would change. */
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

/** Kubernetes answers so with 500 and without a reason. */
const notTyped = ({ apiVersion, kind, metadata }: KubernetesObject, { message }: NotApplicable): ApiError => {
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
  const object = `${metadata.namespace ?? ''}/${metadata.name}; ${groupVersion}, Kind=${kind}`
  return new ApiError(500, '', `failed to create typed patch object (${object}): ${message}`)
}
