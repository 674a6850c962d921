import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, printResources } from '../../../lib/engines/kustomize/build.ts'
import { emitJson } from '../../../lib/engines/yaml/emit-json.ts'
import { emitNode } from '../../../lib/engines/yaml/emit-node.ts'
import { goJson } from '../../../lib/engines/yaml/go-json.ts'
import type { JsonValue } from '../../../lib/engines/yaml/json-value.ts'
import { parseNodes } from '../../../lib/engines/yaml/parse.ts'
import { parseWithComments } from '../../../lib/engines/yaml/parse-with-comments.ts'
import { toJson } from '../../../lib/engines/yaml/to-json.ts'
import { memoryTree } from '../memory-tree.ts'
import { type CaseResult, type ConformanceSuite, difference } from '../suite.ts'

interface Emission {
  readonly id: string
  readonly yaml: string
  readonly build?: string
  readonly buildTransformed?: string
  readonly buildError?: string
  readonly kyaml?: string
  readonly kyamlError?: string
  readonly sigsJSON?: string
  readonly sigsYAML?: string
  readonly sigsJSONError?: string
}

/** How scalars and documents are read and written: by kustomize's builds, by kyaml, and by sigs.k8s.io/yaml. */
export const suite: ConformanceSuite = {
  folder: 'yaml',
  *cases(directory) {
    const lines = readFileSync(join(directory, 'emission.jsonl'), 'utf8').trim().split('\n')
    for (const line of lines) yield () => runCase(JSON.parse(line) as Emission)
  },
}

const runCase = async (emission: Emission): Promise<CaseResult> => {
  const { id, yaml } = emission
  const problems = [
    await compare('kyaml', emission.kyaml, emission.kyamlError, () => {
      const document = parseWithComments(yaml)
      return document ? emitNode(document.root, document) : ''
    }),
    await compare('sigsJSON', emission.sigsJSON, emission.sigsJSONError, () => goJson(asData(yaml))),
    await compare('sigsYAML', emission.sigsYAML, emission.sigsJSONError, () => emitJson(asData(yaml))),
    await compare('build', emission.build, emission.buildError, () => buildWith(yaml, '')),
    await compare('buildTransformed', emission.buildTransformed, undefined, () =>
      buildWith(yaml, 'namePrefix: p-\ncommonAnnotations:\n  zz: "1"\n'),
    ),
  ].filter(problem => problem !== undefined)
  return { name: `${id} ${JSON.stringify(yaml)}`, problem: problems.length > 0 ? problems.join('\n') : undefined }
}

const compare = async (
  what: string,
  expected: string | undefined,
  expectedError: string | undefined,
  run: () => string | Promise<string>,
): Promise<string | undefined> => {
  if (expected === undefined && expectedError === undefined) return undefined
  let actual: string
  try {
    actual = await run()
  } catch (error) {
    const { message } = error as Error
    if (expected !== undefined) return `  ${what}: unexpected error: ${message}`
    return prefixed(what, difference(message, expectedError!))
  }
  if (expected === undefined) return `  ${what}: expected an error: ${expectedError}\n  got ${JSON.stringify(actual)}`
  return prefixed(what, difference(actual, expected))
}

const prefixed = (what: string, problem: string | undefined): string | undefined => problem && `  ${what}:\n${problem}`

const asData = (yaml: string): JsonValue => {
  const root = parseNodes(yaml)[0]
  return root ? toJson(root, { schema: 'kubernetes', lastKeyWins: true }) : null
}

const buildWith = async (yaml: string, fields: string): Promise<string> => {
  const indented = yaml.replace(/^(?=.)/gm, '  ')
  const tree = memoryTree({
    'kustomization.yaml': `resources:\n- r.yaml\n${fields}`,
    'r.yaml': `apiVersion: example.com/v1\nkind: T\nmetadata:\n  name: x\nspec:\n${indented}`,
  })
  return printResources((await build(tree, '')).resources)
}
