import { parseYaml } from '../../../engines/yaml/parse.ts'
import { YamlError } from '../../../engines/yaml/yaml-error.ts'
import { Budget, BudgetExceeded } from '../../../foundations/budget/budget.ts'
import { isObject } from '../../../foundations/kinds/json-object.ts'
import type { FieldError } from '../../../foundations/kinds/schema/field-error.ts'
import { describeTypeMismatch } from '../../../foundations/kinds/schema/go-types.ts'
import { prune, strictDecodingError } from '../../../foundations/kinds/schema/prune.ts'
import type { Schema } from '../../../foundations/kinds/schema/schema.ts'

/** A file that configures a kube-apiserver, and so a hub, can't be used. The message names its fields. */
export class ConfigurationError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ConfigurationError'
  }
}

/** A kind of such files. */
export interface ConfigurationKind<T> {
  readonly group: string
  readonly kind: string
  /** Served with the same fields; the newest first. */
  readonly versions: readonly string[]
  /** Without apiVersion and kind. */
  readonly schema: Schema<T>
}

const maxNodes = 100_000

/** Reads such a file as strictly as a kube-apiserver: other kinds and unknown fields are errors. Fails with a ConfigurationError. */
export const readConfiguration = <T>(text: string, { group, kind, versions, schema }: ConfigurationKind<T>): T => {
  const [value, ...others] = documentsOf(text)
  if (value === undefined) throw new ConfigurationError('empty config data')
  if (others.length > 0)
    throw new ConfigurationError(`it has ${others.length + 1} documents: a ${kind} must be a single document`)
  if (!isObject(value)) throw new ConfigurationError(`it must be an object of kind ${kind}`)
  const { apiVersion, kind: given, ...content } = value
  if (given !== kind || !versions.some(version => apiVersion === `${group}/${version}`))
    throw new ConfigurationError(
      `no kind ${JSON.stringify(given ?? '')} is registered for version ${JSON.stringify(apiVersion ?? '')}: it should be kind ${kind}, apiVersion ${group}/${versions[0]}`,
    )
  const mismatch = describeTypeMismatch(schema, content, kind)
  if (mismatch) throw new ConfigurationError(mismatch)
  const { unknown } = prune(schema, content)
  if (unknown.length > 0) throw new ConfigurationError(strictDecodingError(unknown))
  return content as T
}

const documentsOf = (text: string): readonly unknown[] => {
  try {
    return parseYaml(text, { budget: new Budget({ nodes: maxNodes }) })
  } catch (error) {
    if (error instanceof YamlError || error instanceof BudgetExceeded)
      throw new ConfigurationError(error.message, error)
    throw error
  }
}

/** Errors in fields, as a kube-apiserver prints several of them: each once. */
const describeFaults = (errors: readonly FieldError[]): string => {
  const lines = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))]
  return lines.length === 1 ? lines[0]! : `[${lines.join(', ')}]`
}

/** Fails with a ConfigurationError if there are errors. */
export const requireNoFaults = (errors: readonly FieldError[]): void => {
  if (errors.length > 0) throw new ConfigurationError(describeFaults(errors))
}
