import { Budget, BudgetExceeded } from '../../foundations/budget/budget.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import { goJson } from '../yaml/go-json.ts'
import { isObject, type JsonObject, type JsonValue } from '../yaml/json-value.ts'
import { parseNodes } from '../yaml/parse.ts'
import { toJson } from '../yaml/to-json.ts'
import { spendOnJson } from '../yaml/tree-size.ts'

/** The object of one rendered template, or undefined if it rendered to nothing. Errors are worded as in Kubernetes' reader. */
export const readObject = (text: string, budget = new Budget()): KubernetesObject | undefined =>
  documentsOf(text).map(document => readDocument(document, budget))[0]

/** All objects of YAML documents, including the items of Lists. Objects without a name are dropped, as kustomize drops its own files. */
export const readObjects = (text: string, budget = new Budget()): readonly KubernetesObject[] =>
  documentsOf(text)
    .map(document => readDocument(document, budget))
    .filter(object => object !== undefined)
    .flatMap(itemsOf)
    .filter(isApplicable)

/** Splits at lines of `---`, so that line numbers in errors are relative to the document, as in Kubernetes' readers. */
const documentsOf = (text: string): readonly string[] => {
  const documents: string[] = []
  let start = 0
  for (const { 0: line, index } of text.matchAll(/^---.*(\n|$)/gm)) {
    const rest = line.slice(3).trim()
    if (rest !== '' && !rest.startsWith('#')) throw new Error(`invalid Yaml document separator: ${rest}`)
    documents.push(text.slice(start, index))
    start = index + line.length
  }
  documents.push(text.slice(start))
  return documents.filter(document => document !== '')
}

const readDocument = (text: string, budget: Budget): KubernetesObject | undefined => {
  const data = asJson(text, budget)
  spendOnJson(budget, data)
  if (data === null) return undefined
  const problem = isObject(data) ? missing(data) : `json: cannot unmarshal ${goTypeOf(data)}`
  if (problem) throw new Error(`error unmarshaling JSON: while decoding JSON: ${problem}`)
  return data as unknown as KubernetesObject
}

const asJson = (text: string, budget: Budget): JsonValue => {
  try {
    const [root] = parseNodes(text, budget)
    return root ? toJson(root, { schema: 'kubernetes', lastKeyWins: true }) : null
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error
    throw new Error(`error converting YAML to JSON: ${(error as Error).message}`, { cause: error })
  }
}

const missing = (data: JsonObject): string | undefined =>
  typeof data.kind === 'string' && data.kind !== '' ? undefined : `Object 'Kind' is missing in '${goJson(data)}'`

const goTypeOf = (data: JsonValue): string => {
  const name = Array.isArray(data) ? 'array' : typeof data === 'boolean' ? 'bool' : typeof data
  return `${name === 'bigint' ? 'number' : name} into Go value of type map[string]interface {}`
}

const itemsOf = (object: KubernetesObject): readonly KubernetesObject[] =>
  object.kind.endsWith('List') && Array.isArray(object.items) ? object.items : [object]

const isApplicable = ({ apiVersion, kind, metadata }: KubernetesObject): boolean =>
  Boolean(apiVersion && kind && metadata?.name) &&
  !(kind === 'Kustomization' && groupOf(apiVersion) === 'kustomize.config.k8s.io')
