import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { envsubst } from '../../../lib/engines/substitute/envsubst.ts'
import { substituteVariables } from '../../../lib/engines/substitute/substitute-variables.ts'
import { emitJson } from '../../../lib/engines/yaml/emit-json.ts'
import type { JsonValue } from '../../../lib/engines/yaml/json-value.ts'
import { parseYaml } from '../../../lib/engines/yaml/parse.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { jsonLinesIn } from '../json-lines.ts'
import { type ConformanceSuite, difference } from '../suite.ts'

type Variables = Readonly<Record<string, string>>

/** Recorded from fluxcd/pkg/envsubst; `outputJSON` is the output read as YAML. */
interface TextCase {
  readonly id?: string
  readonly input: string
  readonly vars?: string
  readonly params?: Variables
  readonly strict: boolean
  readonly output?: string
  readonly outputJSON?: string
  readonly error?: string
}
interface ObjectCase {
  readonly input: string
  readonly vars: Variables
  readonly strict: boolean
  readonly outputJSON?: string
  readonly error?: string
}

export const suite: ConformanceSuite = {
  folder: 'envsubst',
  *cases(directory) {
    const named = JSON.parse(readFileSync(join(directory, 'vars.json'), 'utf8')) as Record<string, Variables>
    for (const file of ['cases', 'upstream'])
      for (const each of jsonLinesIn<TextCase>(directory, `${file}.jsonl`))
        yield () => textResult(each, each.params ?? named[each.vars ?? ''] ?? {})
    for (const each of jsonLinesIn<ObjectCase>(directory, 'upstream-varsub.jsonl')) yield () => objectResult(each)
  },
}

const textResult = ({ id, input, strict, output, outputJSON, error }: TextCase, variables: Variables) => {
  const actual = outcome(() => {
    const text = envsubst(input, mapOf(variables), { strict })
    if (outputJSON !== undefined) return emitJson(parseYaml(text)[0]!)
    if (error) parseYaml(text)
    return text
  })
  // What YAML it becomes is ours to tell; how a YAML error is worded is not.
  const isUnreadable = error?.startsWith('YAMLToJSON:') && /^yaml: /.test(actual)
  const expected = outputJSON === undefined ? (output ?? error ?? '') : emitJson(JSON.parse(outputJSON))
  return {
    name: `${id ?? ''} ${JSON.stringify(input)}`,
    problem: isUnreadable ? undefined : difference(actual, expected),
  }
}

const objectResult = ({ input, vars, strict, outputJSON, error }: ObjectCase) => {
  const [object] = parseYaml(input) as unknown as KubernetesObject[]
  const actual = outcome(() => emitJson(substituteVariables(object!, mapOf(vars), { strict }) as unknown as JsonValue))
  const expected =
    outputJSON === undefined
      ? `post build failed for 'ConfigMap.v1.[noGrp]/${object?.metadata.name}': envsubst error: ${error}`
      : emitJson(JSON.parse(outputJSON))
  return { name: `object ${object?.metadata.name}`, problem: difference(actual, expected) }
}

const mapOf = (variables: Variables): ReadonlyMap<string, string> => new Map(Object.entries(variables))

const outcome = (attempt: () => string): string => {
  try {
    return attempt()
  } catch (error) {
    return (error as Error).message
  }
}
