/** Whether an object may be stored: all that is wrong with it, in the words of an API server that has its kind. */
import { checkRules } from './cel.ts'
import type { FieldError } from './field-error.ts'
import { ruleBroken } from './field-error.ts'
import type { Kind, KindVersion } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { checkFinalizerDomains, validateMetadataUpdate, validateNewMetadata } from './validate-metadata.ts'
import { validateSchema } from './validate-schema.ts'

interface Served {
  readonly kind: Kind
  readonly version: KindVersion
}

/** Of an object to be created: decoded (`decode`), and with its name. */
export const validateNew = ({ kind, version }: Served, object: KubernetesObject): FieldError[] => {
  const metadata = validateNewMetadata(kind, object.metadata)
  return kind.native
    ? [...metadata, ...checkFinalizerDomains(object.metadata), ...(kind.check?.(object) ?? [])]
    : withRules([...metadata, ...validateSchema(version.schema, contentOf(object))], () =>
        checkRules(version.schema, contentOf(object)),
      )
}

/** Of a change to an object, as a whole or through its status. */
export const validateChange = (
  { kind, version }: Served,
  object: KubernetesObject,
  old: KubernetesObject,
  subresource?: string,
): FieldError[] => {
  const metadata = validateMetadataUpdate(object.metadata, old.metadata)
  if (kind.native) return [...metadata, ...checkFinalizerDomains(object.metadata), ...(kind.check?.(object, old) ?? [])]
  if (subresource !== 'status')
    return withRules([...metadata, ...validateSchema(version.schema, contentOf(object))], () =>
      checkRules(version.schema, contentOf(object), contentOf(old)),
    )
  const schema = version.schema.properties?.status ?? {}
  if (object.status === undefined) return metadata
  return withRules([...metadata, ...validateSchema(schema, object.status, 'status')], () =>
    checkRules(schema, object.status, old.status, 'status'),
  )
}

/** Rules are only looked at when the value has the shape they expect. */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

const withRules = (errors: FieldError[], check: () => FieldError[]): FieldError[] => {
  if (!errors.some(({ reason }) => blocking.has(reason))) return [...errors, ...check()]
  const unchecked =
    'null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
  return [...errors, ruleBroken('FieldValueInvalid', '<nil>', unchecked)]
}

const contentOf = ({ apiVersion, kind, metadata, ...content }: KubernetesObject) => content
