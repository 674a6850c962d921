import { emitJson } from '../../../../lib/engines/yaml/emit-json.ts'
import { emitNode } from '../../../../lib/engines/yaml/emit-node.ts'
import { goJson } from '../../../../lib/engines/yaml/go-json.ts'
import type { JsonValue } from '../../../../lib/engines/yaml/json-value.ts'
import type { YamlNode } from '../../../../lib/engines/yaml/node.ts'
import { parseNodes } from '../../../../lib/engines/yaml/parse.ts'
import { documentsWithComments, parseWithComments } from '../../../../lib/engines/yaml/parse-with-comments.ts'
import { toJson } from '../../../../lib/engines/yaml/to-json.ts'
import type { YamlAnswer } from '../../../bed/yaml-oracle.ts'

/** What ours makes of a text, as the oracle tells what the originals make of it. */
export const answerTo = (text: string): YamlAnswer => {
  const documents: string[] = []
  const wide: string[] = []
  let data: YamlNode | undefined
  try {
    for (const { root, head, foot } of documentsWithComments(text)) {
      documents.push(emitNode(root, { head, foot }))
      wide.push(emitNode(root, { head, foot, level: 4, indentLists: true }))
      if (documents.length === 1 && (root.kind === 'map' || root.kind === 'seq')) data = root
    }
  } catch (fault) {
    return { documents, wide, ...readAsKyaml(data, documents[0]!), fault: (fault as Error).message }
  }
  return { documents, wide, ...readAsKyaml(data, documents[0]!), ...readAsKubernetes(text) }
}

/** What follows the first document is not read. Rarely what was written reads as something of another kind, which is refused. */
const readAsKyaml = (data: YamlNode | undefined, written: string): Partial<YamlAnswer> =>
  attempt(
    () => {
      if (!data) return {}
      const { root } = parseWithComments(written)!
      if (root.kind !== data.kind) throw new Error(`a ${root.kind} in place of a ${data.kind}`)
      return { kyaml: goJson(toJson(root, { schema: 'kyaml' })) }
    },
    kyamlFault => ({ kyamlFault }),
  )

const readAsKubernetes = (text: string): Partial<YamlAnswer> =>
  attempt(
    () => {
      const root = parseNodes(text)[0]
      const data: JsonValue = root ? toJson(root, { schema: 'kubernetes', lastKeyWins: true }) : null
      return { kubernetes: goJson(data), written: emitJson(data) }
    },
    kubernetesFault => ({ kubernetesFault }),
  )

const attempt = (
  run: () => Partial<YamlAnswer>,
  failed: (fault: string) => Partial<YamlAnswer>,
): Partial<YamlAnswer> => {
  try {
    return run()
  } catch (fault) {
    return failed((fault as Error).message)
  }
}
