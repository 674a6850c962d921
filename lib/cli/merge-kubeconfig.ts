import { Document, isMap, isScalar, isSeq, type ParsedNode, type YAMLMap } from 'yaml'
import { KubeconfigError } from '../clusters/client/kubeconfig-error.ts'
import type { JsonObject } from '../engines/yaml/json-value.ts'
import { type KubeconfigDocument, kubeconfigDocument } from './kubeconfig-document.ts'

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
 * replaced, everything else stays as it was written, comments too. `text` may be empty. Fails with a KubeconfigError that names
 * line and field.
 */
export const mergeKubeconfig = (
  text: string,
  { name, cluster, user, namespace }: KubeconfigEntry,
): MergedKubeconfig => {
  const kubeconfig = kubeconfigDocument(text)
  const { document } = kubeconfig
  if (isAbsent(document.contents)) document.contents = document.createNode({ apiVersion: 'v1', kind: 'Config' })
  requireKubeconfig(kubeconfig)
  putEntry(kubeconfig, 'clusters', { name, cluster })
  putEntry(kubeconfig, 'users', { name, user })
  const replaced = putEntry(kubeconfig, 'contexts', {
    name,
    context: { cluster: name, user: name, ...(namespace && { namespace }) },
  })
  document.set('current-context', name)
  return { text: document.toString({ lineWidth: 0, indentSeq: false, flowCollectionPadding: false }), replaced }
}

const requireKubeconfig = ({ document: { contents }, lineOf }: KubeconfigDocument): void => {
  if (!isMap(contents)) throw new KubeconfigError(`line ${lineOf(contents)}: a kubeconfig must be a mapping`)
  const kind = contents.get('kind', true)
  if (kind && kind.value !== 'Config') throw new KubeconfigError(`line ${lineOf(kind)}: kind must be Config`)
}

/** Puts an entry into one of the lists, in the place of one with the same name; says whether there was one. */
const putEntry = ({ document, lineOf }: KubeconfigDocument, list: string, entry: JsonObject): boolean => {
  const entries = document.get(list, true)
  if (!isSeq(entries)) {
    if (!isAbsent(entries)) throw new KubeconfigError(`line ${lineOf(entries)}: ${list} must be a list`)
    document.set(list, nodeOf([entry]))
    return false
  }
  const at = entries.items.findIndex(item => isMap(item) && (item as YAMLMap).get('name') === entry.name)
  entries.flow = false
  const added = nodeOf(entry)
  if (at < 0) entries.items.push(added)
  else entries.items[at] = added
  return at >= 0
}

/** With keys in the order of their names, as kubectl writes them. */
const nodeOf = (value: JsonObject | readonly JsonObject[]): ParsedNode | null =>
  new Document(value, { sortMapEntries: true }).contents as ParsedNode | null

const isAbsent = (node: unknown): boolean => node == null || (isScalar(node) && node.value === null)
