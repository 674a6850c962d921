import { wordsOf } from '../rules/words-of-error.ts'
import { emitNode } from '../yaml/emit-node.ts'
import { goSyntax } from '../yaml/go-syntax.ts'
import { isObject, type JsonValue } from '../yaml/json-value.ts'
import type { YamlNode } from '../yaml/node.ts'
import { parseNodes } from '../yaml/parse.ts'
import { toJson } from '../yaml/to-json.ts'
import { unsupportedPath } from '../yaml/unsupported-path.ts'
import { UnsupportedData } from '../yaml/yaml-error.ts'
import { KustomizeError } from './kustomize-error.ts'
import type { Resource } from './resource.ts'

/** Why an object can't be had as plain data, in kustomize's words. */
export const noData = (error: unknown, { kind, view, origin: { file } }: Resource): KustomizeError => {
  if (error instanceof UnsupportedData) {
    const field = unsupportedPath(error.data)
    return new KustomizeError(`${goSyntax(showable(kind, error.data))}: ${error.message}`, { file, field }, error)
  }
  const problem = problemAsPrinted(view!, error)
  const field = /mapping key "(.+)" already defined/.exec(problem)?.[1]
  return new KustomizeError(`map[string]interface {}(nil): ${problem}`, { file, field }, error)
}

/** kustomize prints the whole object; of a Secret, what it holds is nobody's business. */
const showable = (kind: string, data: JsonValue): JsonValue => {
  if (kind !== 'Secret' || !isObject(data)) return data
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, /data$/i.test(key) ? '**' : value]))
}

/** kustomize prints an object before it reads it as data: lines count in that text. */
const problemAsPrinted = (object: YamlNode, error: unknown): string => {
  try {
    toJson(parseNodes(emitNode(object))[0]!, { schema: 'kyaml' })
  } catch (again) {
    return (again as Error).message
  }
  return wordsOf(error)
}
