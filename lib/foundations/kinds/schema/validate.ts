/** Validates an object before it is stored, with the messages of an API server that has its kind. */
import { checkScale } from '../check-scale.ts'
import type { Kind, KindVersion } from '../kind.ts'
import type { KubernetesObject } from '../object.ts'
import type { FieldError } from './field-error.ts'
import { ruleBroken } from './field-error.ts'
import { hasRules } from './has-rules.ts'
import type { StructuralSchema } from './schema.ts'
import { unchanged } from './unchanged.ts'
import { checkFinalizerDomains, validateMetadataUpdate, validateNewMetadata } from './validate-metadata.ts'
import { validateSchema } from './validate-schema.ts'

/**
 * Evaluates all `x-kubernetes-validations` of a schema and below; passed in, as the kinds must not import CEL. `value`
 * is valid otherwise; `old` is undefined for a new object.
 */
export type CheckRules = (schema: StructuralSchema, value: unknown, old?: unknown, path?: string) => FieldError[]

interface Served {
  readonly kind: Kind
  readonly version: KindVersion
}

/** For a new object: decoded (`decode`), and with a name. */
export const validateNew = (
  { kind, version }: Served,
  object: KubernetesObject,
  checkRules: CheckRules,
): FieldError[] => {
  const metadata = validateNewMetadata(kind, object.metadata)
  return kind.native
    ? [...metadata, ...domains(kind, object), ...(kind.check?.(object) ?? [])]
    : withChecks(
        withRules(
          version.schema,
          [...metadata, ...validateSchema(version.schema, contentOf(object)), ...checkScale(version.scale, object)],
          () => checkRules(version.schema, contentOf(object)),
        ),
        () => kind.check?.(object),
      )
}

/** For an update of the whole object or its status. */
export const validateChange = (
  { kind, version }: Served,
  object: KubernetesObject,
  old: KubernetesObject,
  subresource: string | undefined,
  checkRules: CheckRules,
): FieldError[] => {
  const metadata = validateMetadataUpdate(object.metadata, old.metadata)
  if (kind.native) return [...metadata, ...domains(kind, object), ...(kind.check?.(object, old) ?? [])]
  if (subresource !== 'status') {
    const [content, before] = [contentOf(object), contentOf(old)]
    const errors = validateSchema(version.schema, content).filter(
      error => !unchanged(version.schema, error.field, content, before),
    )
    const scale = checkScale(version.scale, object)
    return withChecks(
      withRules(version.schema, [...metadata, ...errors, ...scale], () => checkRules(version.schema, content, before)),
      () => kind.check?.(object, old),
    )
  }
  const schema = version.schema.properties?.status ?? {}
  if (object.status === undefined) return metadata
  const errors = validateSchema(schema, object.status, 'status').filter(
    error => !unchanged(version.schema, error.field, { status: object.status }, { status: old.status }),
  )
  const scale = checkScale(version.scale, object)
  return withRules(version.schema, [...metadata, ...errors, ...scale], () =>
    checkRules(schema, object.status, old.status, 'status'),
  )
}

/** Definitions of kinds may have finalizers without a domain. */
const domains = ({ group }: Kind, { metadata }: KubernetesObject): FieldError[] =>
  group === 'apiextensions.k8s.io' ? [] : checkFinalizerDomains(metadata)

/** Rules are only evaluated if the value has the expected shape. */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

const withRules = (schema: StructuralSchema, errors: FieldError[], check: () => FieldError[]): FieldError[] => {
  if (!hasRules(schema)) return errors
  if (!errors.some(({ reason }) => blocking.has(reason))) return [...errors, ...check()]
  const unchecked =
    'null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
  return [...errors, ruleBroken('FieldValueInvalid', '<nil>', unchecked)]
}

/** A kind's own checks require an object that is valid by its schema. */
const withChecks = (errors: FieldError[], check: () => FieldError[] | undefined): FieldError[] =>
  errors.length > 0 ? errors : (check() ?? [])

const contentOf = ({ apiVersion, kind, metadata, ...content }: KubernetesObject) => content
