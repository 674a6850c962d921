import { type Budget, BudgetExceeded } from '../../foundations/budget/budget.ts'
import { groupOf, type KubernetesObject, versionOf } from '../../foundations/kinds/object.ts'
import { emitJson } from '../yaml/emit-json.ts'
import { isObject, type JsonValue } from '../yaml/json-value.ts'
import { parseYaml } from '../yaml/parse.ts'
import { envsubst } from './envsubst.ts'
import { SubstitutionError } from './expression.ts'

/**
 * Substitutes variables in an object: in its YAML text, which is then parsed again as YAML 1.1, so that a value may become a number, a list,
 * anything (KS-203). Objects marked `kustomize.toolkit.fluxcd.io/substitute: disabled` are unchanged (KS-200). Fails with a
 * SubstitutionError that names the object and the variable, and contains no value; with BudgetExceeded if the results exceed the budget.
 */
export const substituteVariables = (
  object: KubernetesObject,
  variables: ReadonlyMap<string, string>,
  options: { readonly strict: boolean; readonly budget?: Budget },
): KubernetesObject => {
  if (!takesVariables(object)) return object
  try {
    for (const name of variables.keys()) requireName(name)
    const text = emitJson(object as unknown as JsonValue)
    if (!text.includes('$')) return object
    const substituted = envsubstText(text, variables, options)
    options.budget?.spend('bytes', substituted.length, describe(object))
    return readAgain(substituted, options.budget)
  } catch (error) {
    const { message } = error as Error
    if (!(error instanceof SubstitutionError)) throw error
    throw new SubstitutionError(postBuildFailed(object, `envsubst error: ${message}`))
  }
}

const SUBSTITUTE = 'kustomize.toolkit.fluxcd.io/substitute'

/** Whether the object is not excluded from substitution. */
export const takesVariables = ({ metadata }: KubernetesObject): boolean =>
  metadata.labels?.[SUBSTITUTE] !== 'disabled' && metadata.annotations?.[SUBSTITUTE] !== 'disabled'

const requireName = (name: string): void => {
  if (/^[_A-Za-z][_A-Za-z0-9]*$/.test(name)) return
  throw new SubstitutionError(`'${name}' var name is invalid, must match '^[_[:alpha:]][_[:alpha:][:digit:]]*$'`)
}

const envsubstText: typeof envsubst = (text, variables, options) => {
  try {
    return envsubst(text, variables, options)
  } catch (error) {
    if (!(error instanceof SubstitutionError)) throw error
    throw new SubstitutionError(`variable substitution failed: ${error.message}`)
  }
}

const readAgain = (text: string, budget: Budget | undefined): KubernetesObject => {
  let documents: readonly JsonValue[]
  try {
    documents = parseYaml(text, { budget })
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error
    throw new SubstitutionError(`YAMLToJSON: ${withoutValues((error as Error).message)}`)
  }
  const [object] = documents
  if (documents.length !== 1 || !isObject(object)) throw new SubstitutionError('the result is not one YAML mapping')
  return object as unknown as KubernetesObject
}

/** A YAML error quotes anchors, keys and scalars, which may contain a Secret's variable. */
const withoutValues = (message: string): string =>
  message
    .replace(/(anchor) '.*' (referenced|value contains itself)/s, '$1 $2')
    .replace(/(cannot decode \S+) `.*` (as a \S+)$/s, '$1 $2')
    .replace(/(invalid map key|unsupported map key of type): .*/s, '$1')
    .replace(/mapping key ".*" (already defined at line \d+)$/gm, 'mapping key $1')

/** Flux's message. */
export const postBuildFailed = (object: KubernetesObject, problem: string): string =>
  `post build failed for '${describe(object)}': ${problem}`

/** An object's name as kustomize writes it: `ConfigMap.v1.[noGrp]/name`. */
const describe = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  `${kind}.${versionOf(apiVersion)}.${groupOf(apiVersion) || '[noGrp]'}/${metadata.name}`
