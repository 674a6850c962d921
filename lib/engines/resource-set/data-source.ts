import { operatorGroup } from '../../foundations/kinds/flux-operator.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/** A ConfigMap or Secret that rendered objects read data from. */
export interface DataSource {
  readonly kind: 'ConfigMap' | 'Secret'
  readonly namespace: string
  readonly name: string
}

/** `Kind/namespace/name`, as in annotations and messages. */
export const sourceName = ({ kind, namespace, name }: DataSource): string => `${kind}/${namespace}/${name}`

const annotation = (key: string) => `${operatorGroup}/${key}`
const copyFrom = annotation('copyFrom')
const convertKubeConfigFrom = annotation('convertKubeConfigFrom')
export const checksumFrom = annotation('checksumFrom')
export const checksum = annotation('checksum')

const malformed = (key: string, value: string, format: string): Error =>
  new Error(`invalid ${key} annotation value '${value}' must be in the format ${format}`)

/** The object that a ConfigMap or Secret copies its data from. Fails if the annotation is not `namespace/name`. */
export const copySourceOf = (object: KubernetesObject): DataSource | undefined => {
  const value = object.metadata.annotations?.[copyFrom]
  if (value === undefined || object.apiVersion !== 'v1') return undefined
  if (object.kind !== 'ConfigMap' && object.kind !== 'Secret') return undefined
  const [namespace, name, ...rest] = value.split('/')
  if (!namespace || !name || rest.length > 0) throw malformed(copyFrom, value, "'namespace/name'")
  return { kind: object.kind, namespace, name }
}

/** The kubeconfig that a ConfigMap describes: its Secret, and the keys that may hold it. */
export interface KubeConfigSource extends DataSource {
  readonly keys: readonly string[]
}

/**
 * The Secret that a ConfigMap's annotation names for conversion; undefined for other objects. Without a key,
 * `kubeconfig` and then `value` are tried. Throws for an annotation of another form.
 */
export const kubeConfigSourceOf = (object: KubernetesObject): KubeConfigSource | undefined => {
  const value = object.metadata.annotations?.[convertKubeConfigFrom]
  if (value === undefined || object.apiVersion !== 'v1' || object.kind !== 'ConfigMap') return undefined
  const found = /^([^/:]+)\/([^/:]+)(?::(.+))?$/.exec(value)
  if (!found) throw malformed(convertKubeConfigFrom, value, "'namespace/name' or 'namespace/name:key'")
  const [, namespace, name, key] = found
  return { kind: 'Secret', namespace: namespace!, name: name!, keys: key ? [key] : ['kubeconfig', 'value'] }
}

/** The sources of a checksum: any number of `Kind/namespace/name`, separated by commas. */
export const checksumSourcesOf = (value: string): readonly DataSource[] =>
  value
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(part => {
      const [kind, namespace, name, ...rest] = part.split('/')
      if ((kind !== 'ConfigMap' && kind !== 'Secret') || !namespace || !name || rest.length > 0)
        throw malformed(checksumFrom, part, "'Kind/namespace/name' with the kind ConfigMap or Secret")
      return { kind, namespace, name }
    })

/** A source of which all data is needed, or only where a cluster is. */
export interface CopiedSource extends DataSource {
  /** The keys with kubeconfigs of which the addresses and authorities are needed, and nothing else. */
  readonly addressesIn?: readonly string[]
}

/**
 * The sources whose data the objects copy, convert or take checksums of, each once, without those that are among the objects. Fails if an annotation is
 * malformed.
 */
export const copiedSourcesOf = (objects: readonly KubernetesObject[]): readonly CopiedSource[] => {
  const own = new Set(objects.map(({ kind, metadata }) => sourceName({ kind, ...placeOf(metadata) } as DataSource)))
  const summed = objects.flatMap(annotatedChecksums).flatMap(checksumSourcesOf)
  const whole = [
    ...objects.flatMap(object => copySourceOf(object) ?? []),
    ...summed.filter(source => !own.has(sourceName(source))),
  ]
  const sources = new Map<string, CopiedSource>(whole.map(source => [sourceName(source), source]))
  for (const { keys, ...source } of objects.flatMap(object => kubeConfigSourceOf(object) ?? [])) {
    const known = sources.get(sourceName(source))
    if (known && !known.addressesIn) continue
    sources.set(sourceName(source), { ...source, addressesIn: [...new Set([...(known?.addressesIn ?? []), ...keys])] })
  }
  return [...sources.values()]
}

const placeOf = ({ namespace = '', name }: KubernetesObject['metadata']) => ({ namespace, name })

/** The values of `checksumFrom` in any annotations of an object, such as those of a pod template. */
const annotatedChecksums = (node: unknown): readonly string[] => {
  if (typeof node !== 'object' || node === null) return []
  const { annotations } = (node as { readonly metadata?: KubernetesObject['metadata'] }).metadata ?? {}
  const value: unknown = annotations?.[checksumFrom]
  return [...(typeof value === 'string' ? [value] : []), ...Object.values(node).flatMap(annotatedChecksums)]
}
