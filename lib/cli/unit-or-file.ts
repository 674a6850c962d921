import type { JsonValue } from '../engines/yaml/json-value.ts'
import { apiVersionOf } from '../foundations/kinds/all.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { CommandFailed } from './command-failed.ts'
import type { HubAccess } from './hub-access.ts'
import { checkedManifest, isOf, readDocuments } from './manifest-file.ts'

interface Place {
  /** Read in place of the hub's object. */
  readonly file?: string | undefined
  readonly namespace: string
}

/** The unit of a command: from a file, with its status in the hub, or from the hub. Fails with CommandFailed if it is not there. */
export const unitOrFile = async <T extends KubernetesObject>(
  ofKind: Kind<T>,
  name: string,
  { file, namespace }: Place,
  hub: HubAccess | undefined,
): Promise<T> => {
  const kind = ofKind as unknown as Kind
  const ref = { group: kind.group, kind: kind.kind, namespace, name }
  const live = await hub?.cluster.get(apiVersionOf(kind), ref, { signal: hub.signal })
  if (file !== undefined) return { ...unitIn(file, kind, name, namespace), ...(live && { status: live.status }) } as T
  if (live) return live as T
  throw new CommandFailed(`failed to get ${kind.singular} object: ${kind.plural}.${kind.group} "${name}" not found`)
}

/** A unit without a namespace matches any. */
const unitIn = (file: string, kind: Kind, name: string, namespace: string): KubernetesObject => {
  const isNamed = (document: JsonValue): boolean => {
    const { metadata } = document as unknown as KubernetesObject
    return metadata?.name === name && (metadata.namespace ?? namespace) === namespace
  }
  const found = readDocuments(file).find(document => isOf(kind)(document) && isNamed(document))
  if (!found)
    throw new CommandFailed(`no ${kind.kind} with the name '${name}' and the namespace '${namespace}' in ${file}`)
  const { metadata, ...rest } = found as unknown as KubernetesObject
  const placed = { ...rest, metadata: { ...metadata, namespace } } as unknown as JsonValue
  return checkedManifest(file, kind, placed)
}
