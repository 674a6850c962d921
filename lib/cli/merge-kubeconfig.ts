import { Document, isMap, isScalar, isSeq, type ParsedNode, type YAMLMap } from 'yaml'
import { KubeconfigError } from '../clusters/client/kubeconfig-error.ts'
import type { JsonObject } from '../engines/yaml/json-value.ts'
import { type KubeconfigDocument, kubeconfigDocument } from './kubeconfig-document.ts'

export interface KubeconfigEntry {
  /** Name of cluster, user and context. */
  readonly name: string
  readonly cluster: JsonObject
  readonly user: JsonObject
  readonly namespace?: string
}

export interface MergedKubeconfig {
  readonly text: string
  /** Whether a context of this name existed. */
  readonly replaced: boolean
}

/**
 * Adds a cluster, user and context to a kubeconfig and makes it the current context; replaces entries of the same name, and preserves
 * everything else, including comments. `text` may be empty. Fails with a KubeconfigError that names line and field.
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

/** Adds an entry to a list, replacing one with the same name; returns whether it replaced one. */
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

/** With sorted keys, like kubectl. */
const nodeOf = (value: JsonObject | readonly JsonObject[]): ParsedNode | null =>
  new Document(value, { sortMapEntries: true }).contents as ParsedNode | null

const isAbsent = (node: unknown): boolean => node == null || (isScalar(node) && node.value === null)
