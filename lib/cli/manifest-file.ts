import { readFileSync } from 'node:fs'
import { isObject, type JsonValue } from '../engines/yaml/json-value.ts'
import { parseYaml } from '../engines/yaml/parse.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { groupOf, type KubernetesObject } from '../foundations/kinds/object.ts'
import { decode } from '../foundations/kinds/schema/decode.ts'
import { describeInvalid } from '../foundations/kinds/schema/field-error.ts'
import { validateNew } from '../foundations/kinds/schema/validate.ts'
import { checkRules } from '../hub/store/validation-rules.ts'
import { CommandFailed } from './command-failed.ts'

/** Whether a document is of this kind, in any version. */
export const isOf =
  ({ group, kind }: Kind) =>
  (document: JsonValue): boolean =>
    isObject(document) && document.kind === kind && groupOf(String(document.apiVersion)) === group

/** Validates as the hub does: fills in defaults and reports all errors. */
export const checkedManifest = (file: string, kind: Kind, document: JsonValue): KubernetesObject => {
  const served = { kind, version: kind.versions[0]! }
  const given = document as unknown as KubernetesObject
  const written = { ...given, metadata: { namespace: 'default', ...given.metadata } }
  const { object, unknown } = decode(served, written)
  const errors = validateNew(served, object, checkRules)
  if (errors.length > 0) throw new CommandFailed(`${file}: ${describeInvalid(kind, object.metadata.name, errors)}`)
  if (unknown.length > 0) throw new CommandFailed(`${file}: unknown field "${unknown[0]}"`)
  return object
}

/** The documents of a YAML file; `-` is standard input. */
export const readDocuments = (file: string): readonly JsonValue[] => {
  try {
    return parseYaml(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CommandFailed(`${file}: ${code === 'ENOENT' ? 'no such file' : message}`, { cause: error })
  }
}
