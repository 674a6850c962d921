import type { Budget } from '../../foundations/budget/budget.ts'
import type { JsonObject, JsonValue } from '../yaml/json-value.ts'
import { parseYaml } from '../yaml/parse.ts'
import { DEFAULT_FIELD_SPECS, type FieldSpecs, type NameReference, NO_FIELD_SPECS } from './default-field-specs.ts'
import { type FieldSpec, fieldSpec } from './field-spec.ts'
import { decodeStruct, type Form, type StructForm } from './go-struct.ts'
import type { FieldSpecEntry } from './kustomization.ts'
import { FIELD_SPEC, GVK } from './kustomization-form.ts'
import { wrapError } from './kustomize-error.ts'
import type { Loader } from './loader.ts'
import { mergeFieldSpecs } from './merge-field-specs.ts'
import type { Gvk } from './resource-id.ts'

const FIELD_SPECS = { list: FIELD_SPEC, type: 'types.FsSlice' } as const

const REFERENCE: StructForm = {
  package: 'builtinconfig',
  struct: 'NameBackReferences',
  fields: { fieldSpecs: FIELD_SPECS },
  embeds: [GVK],
}

const FORM: StructForm = {
  package: 'builtinconfig',
  struct: 'TransformerConfig',
  fields: Object.fromEntries(
    Object.keys(NO_FIELD_SPECS).map((name): [string, Form] => [
      name,
      name === 'nameReference' ? { list: REFERENCE, type: 'builtinconfig.nbrSlice' } : FIELD_SPECS,
    ]),
  ),
}

/** The default field specs and those of the files listed under `configurations`. */
export const readFieldSpecs = (paths: readonly string[], loader: Loader): FieldSpecs => {
  let own = NO_FIELD_SPECS
  for (const path of paths)
    own = mergeFieldSpecs(own, parseFieldSpecs(loader.load(path), loader.resolve(path) ?? path, loader.budget))
  return mergeFieldSpecs(DEFAULT_FIELD_SPECS, own)
}

const parseFieldSpecs = (content: Uint8Array, file: string, budget: Budget): FieldSpecs => {
  const data = yamlAsJson(content, file, budget)
  try {
    const config = decodeStruct(FORM, data, { strict: true })
    return Object.fromEntries(
      Object.keys(NO_FIELD_SPECS).map(name => [
        name,
        name === 'nameReference' ? referencesOf(config) : specsOf(config[name] as FieldSpecEntry[] | undefined),
      ]),
    ) as unknown as FieldSpecs
  } catch (error) {
    throw wrapError('error unmarshaling JSON: while decoding JSON', error, { file })
  }
}

/** Reads the single document of a file, or of inline text, as sigs.k8s.io/yaml does. */
export const yamlAsJson = (content: Uint8Array | string, file: string, budget: Budget): JsonValue => {
  try {
    return parseYaml(content, { budget })[0] ?? null
  } catch (error) {
    throw wrapError('error converting YAML to JSON', error, { file })
  }
}

/** Field specs as a configuration lists them: `create` is false and other parts are empty where they are absent. */
export const specsOf = (entries: readonly FieldSpecEntry[] | undefined): FieldSpec[] =>
  (entries ?? []).map(entry => fieldSpec(entry.path ?? '', entry, entry.create ?? false))

const referencesOf = (config: JsonObject): NameReference[] => {
  const entries = (config.nameReference ?? []) as unknown as (Partial<Gvk> & { fieldSpecs?: FieldSpecEntry[] })[]
  return entries.map(({ group = '', version = '', kind = '', fieldSpecs }) => ({
    group,
    version,
    kind,
    referrers: specsOf(fieldSpecs),
  }))
}
