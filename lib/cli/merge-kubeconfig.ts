import { emitNode } from '../engines/yaml/emit-node.ts'
import { fromJson } from '../engines/yaml/from-json.ts'
import type { JsonObject } from '../engines/yaml/json-value.ts'
import { field, setField, type YamlNode } from '../engines/yaml/node.ts'
import { parseWithComments } from '../engines/yaml/parse-with-comments.ts'

export interface KubeconfigEntry {
  /** Names cluster, user and context. */
  readonly name: string
  readonly cluster: JsonObject
  readonly user: JsonObject
  readonly namespace?: string
}

export interface MergedKubeconfig {
  readonly text: string
  /** There was a context of the name before. */
  readonly replaced: boolean
}

/**
 * A kubeconfig with one more cluster, user and context, which becomes the current one; what was there under its name is
 * replaced, everything else stays as it was written, comments too. `text` may be empty. Fails with an Error that says what
 * is wrong with the text.
 */
export const mergeKubeconfig = (
  text: string,
  { name, cluster, user, namespace }: KubeconfigEntry,
): MergedKubeconfig => {
  const document = parseWithComments(text)
  const root = document?.root ?? fromJson({ apiVersion: 'v1', kind: 'Config' })
  if (root.kind !== 'map' || (field(root, 'kind') && field(root, 'kind')?.value !== 'Config'))
    throw new Error('it is no kubeconfig')
  put(root, 'clusters', { name, cluster })
  put(root, 'users', { name, user })
  const replaced = put(root, 'contexts', {
    name,
    context: { cluster: name, user: name, ...(namespace && { namespace }) },
  })
  setField(root, 'current-context', fromJson(name))
  return { text: emitNode(root, { head: document?.head, foot: document?.foot }), replaced }
}

/** Puts an entry into one of the lists, in the place of one with the same name; says whether there was one. */
const put = (root: YamlNode, list: string, entry: JsonObject): boolean => {
  const entries = field(root, list)
  if (entries?.kind !== 'seq') {
    if (entries && entries.tag !== '!!null') throw new Error(`its ${list} are no list`)
    setField(root, list, fromJson([entry]))
    return false
  }
  const at = entries.content.findIndex(item => field(item, 'name')?.value === entry.name)
  entries.style = ''
  if (at < 0) entries.content.push(fromJson(entry))
  else entries.content[at] = fromJson(entry)
  return at >= 0
}
