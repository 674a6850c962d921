import { unmarshal } from '../../../engines/kustomize/go-struct.ts'
import { KUSTOMIZATION } from '../../../engines/kustomize/kustomization-form.ts'
import type { JsonObject, JsonValue } from '../../../engines/yaml/json-value.ts'
import { parseNodes } from '../../../engines/yaml/parse.ts'
import { toJson } from '../../../engines/yaml/to-json.ts'
import { spendOnJson } from '../../../engines/yaml/tree-size.ts'
import { type Budget, BudgetExceeded } from '../../../foundations/budget/budget.ts'
import type { KustomizationSpec } from '../../../foundations/kinds/kustomization.ts'
import { isSameJson } from '../../../foundations/kinds/schema/same-json.ts'
import { errorMessage } from '../../../foundations/rules/error-message.ts'

/** A kustomization.yaml that the fields of a Kustomization's spec are merged into. */
export interface KustomizationFile {
  readonly resources?: readonly string[]
  readonly components?: readonly string[]
  readonly patches?: readonly unknown[]
  readonly images?: NonNullable<KustomizationSpec['images']>
  readonly [field: string]: unknown
}

interface Rewritten {
  readonly file: KustomizationFile
  /** Fields that kustomize doesn't know and would refuse: they are dropped. */
  readonly ignored: readonly string[]
  /** Nothing was changed: kustomize reads the same from the original file. */
  readonly isAsWritten: boolean
}

/**
 * Reads the kustomization.yaml at a Kustomization's path as kustomize-controller does, which rewrites it for kustomize: drops unknown
 * fields, converts numbers and booleans to strings where strings are expected (`newTag: 1.2`), and takes the first of several documents.
 * kustomize itself reads bases and components, and refuses all that. Errors begin with the file; may fail with BudgetExceeded.
 */
export const rewriteKustomization = (content: Uint8Array, path: string, budget: Budget): Rewritten => {
  const nodes = inFile(path, 'error converting YAML to JSON', () => parseNodes(content, budget))
  const value: JsonValue = inFile(path, 'error converting YAML to JSON', () =>
    nodes[0] ? toJson(nodes[0], { schema: 'kubernetes', lastKeyWins: true }) : null,
  )
  spendOnJson(budget, value, path)
  const ignored: string[] = []
  const read = inFile(path, '', () => unmarshal(KUSTOMIZATION, value, field => ignored.push(field)))
  const file = { ...typeMeta, ...read } as KustomizationFile
  return { file, ignored: [...new Set(ignored)], isAsWritten: isAsRead(value, read) }
}

/** The default where the file has none; a Component must have it. */
const typeMeta: JsonObject = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' }

const isAsRead = (value: JsonValue, read: JsonObject): boolean =>
  isSameJson(value, read) && (read.kind !== 'Component' || read.apiVersion !== undefined)

const inFile = <T>(path: string, problem: string, step: () => T): T => {
  try {
    return step()
  } catch (error) {
    if (error instanceof BudgetExceeded) throw error
    throw new Error(`${path}: ${problem && `${problem}: `}${errorMessage(error)}`, { cause: error })
  }
}
